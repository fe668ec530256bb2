// The folders of the page's scripts, which the program serves as one folder, /assets/: those in which there are any.
import { readdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("../../", import.meta.url);
const notOurs = new Set(["node_modules", "runs", "dist"]); // and those with a hidden name

/** @returns {URL[]} the folders with scripts, from the given one down */
function below(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const here = entries.some((entry) => entry.isFile() && entry.name.endsWith(".js")) ? [folder] : [];
  const further = entries.filter(({ name }) => !name.startsWith(".") && !notOurs.has(name))
    .filter((entry) => entry.isDirectory());
  return [...here, ...further.flatMap(({ name }) => below(new URL(`${encodeURIComponent(name)}/`, folder)))];
}

export const folders = below(root);

// Called as a program, it prints the configuration with which tests/js.sh checks the types of these scripts.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) console.log(JSON.stringify({
  extends: fileURLToPath(new URL("tsconfig.json", import.meta.url)),
  compilerOptions: { rootDirs: folders.map((folder) => fileURLToPath(folder)) },
}));
