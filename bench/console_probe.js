// Runs before the console does, and notes what happens in its page.  Times are milliseconds of the page's clock.
const probe = { longTasks: [], asked: {}, told: {}, seen: {} };
window.probe = probe;

new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) probe.longTasks.push([entry.startTime, entry.duration]);
}).observe({ entryTypes: ["longtask"] });

// When each worker was first handed work, and when it last answered.
window.Worker = class extends window.Worker {
  constructor(url, options) {
    super(url, options);
    this.probed = options?.name ?? "";
    this.addEventListener("message", () => (probe.told[this.probed] = performance.now()));
  }
  postMessage(message, transfer) {
    probe.asked[this.probed] ??= performance.now();
    return super.postMessage(message, transfer);
  }
};

// When something was in the page, and the frame that showed it had begun.
probe.watch = (selector) => {
  const look = () => {
    if (document.querySelector(selector) === null) return;
    watching.disconnect();
    requestAnimationFrame(() => (probe.seen[selector] = performance.now()));
  };
  const watching = new MutationObserver(look);
  watching.observe(document, { childList: true, subtree: true });
  look();
};
for (const selector of ['[aria-label="Verification"] dl', '[role="listitem"]', '[data-index="20"]']) {
  probe.watch(selector);
}

/** Milliseconds of each frame until `stop` is called. */
probe.frames = () => {
  const times = [];
  let last = null;
  let goesOn = true;
  const next = (now) => {
    if (last !== null) times.push(now - last);
    last = now;
    if (goesOn) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  probe.stop = () => {
    goesOn = false;
    return times;
  };
};

/** The longest task that began at `from` or later; 0 where none took 50 ms. */
probe.longest = (from) => Math.max(0, ...probe.longTasks.filter(([at]) => at >= from).map(([, ms]) => ms));
