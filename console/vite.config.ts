import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const SERVER = process.env["TURNLEDGER_SERVER"] ?? "http://127.0.0.1:8321";

export default defineConfig({
  // Relative: the console also works below a prefix of a reverse proxy.
  base: "./",
  plugins: [react()],
  build: {
    outDir: "../src/turnledger/server/_console",
    emptyOutDir: true,
    target: "es2022",
    // The content policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: "manifest.json",
    reportCompressedSize: false,
  },
  worker: { format: "es" },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/openapi.json", "/metrics", "/tlog"].map((path) => [path, { target: SERVER }]),
    ),
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
});
