// Runs the tests of the page's scripts in one process of Node (node tests/js/run.mjs). Scripts import one another as in
// the browser, where all their folders are /assets/.
import { readdirSync } from "node:fs";
import { register } from "node:module";

register("./hooks.mjs", import.meta.url);
for (const file of readdirSync(new URL(".", import.meta.url))) {
  if (file.endsWith(".test.mjs")) await import(`./${file}`);
}
