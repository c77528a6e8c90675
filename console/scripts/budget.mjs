// Fails where the console's first load is over its budget: what index.html's entry imports, gzip.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT_KB = 220;
const built = new URL("../../src/turnledger/server/_console/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", built), "utf8"));

const entry = Object.values(manifest).find((chunk) => chunk.isEntry);
const wanted = new Set();
const queue = [entry];
while (queue.length > 0) {
  const chunk = queue.pop();
  if (wanted.has(chunk.file)) continue;
  wanted.add(chunk.file);
  queue.push(...(chunk.imports ?? []).map((name) => manifest[name]));
}
const sizes = [...wanted].map((file) => [
  file,
  gzipSync(readFileSync(new URL(file, built)), { level: 9 }).length / 1000,
]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
for (const [file, size] of sizes) console.log(`${size.toFixed(1).padStart(8)} kB  ${file}`);
console.log(`${total.toFixed(1).padStart(8)} kB  first load of ${LIMIT_KB} kB`);
if (total > LIMIT_KB) process.exit(1);
