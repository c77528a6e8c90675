import "./styles/tokens.css";
import "./styles/base.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { answers } from "./api/client";
import { createQueryClient } from "./api/queryClient";
import { reloadWhenOutdated } from "./lib/freshFiles";
import { followTheme } from "./lib/settings";
import { router } from "./router";

followTheme();
reloadWhenOutdated(answers);
keepIcon();

/** The page names its icon relative to the address it was loaded at, which does not stay. */
function keepIcon(): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon !== null) icon.href = new URL(icon.href).href;
}

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no place for the console.");
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
