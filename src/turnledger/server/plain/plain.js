// The code of a login link stands behind the hash, which no server sees; it is handed in and forgotten.
const code = location.pathname === "/login" ? location.hash.slice(1) : "";
if (code) {
  history.replaceState(null, "", "/");
  fetch("/api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  })
    .then((response) => response.json())
    .then((answer) => {
      document.getElementById("state").textContent = answer.name
        ? `Logged in as ${answer.name}.`
        : `${answer.title}: ${answer.detail} ${answer.nextStep}`;
    });
}
