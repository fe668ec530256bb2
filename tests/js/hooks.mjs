// The hooks with which run.mjs lets Node import the page's scripts.
import { existsSync } from "node:fs";
import { folders } from "./folders.mjs";

export async function resolve(specifier, context, next) {
  if (/^\.\/[^/]+\.js$/.test(specifier)) {
    const url = folders.map((folder) => new URL(specifier, folder)).find((file) => existsSync(file));
    if (url) return { url: url.href, format: "module", shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  return next(url, folders.some((folder) => url.startsWith(folder.href)) ? { ...context, format: "module" } : context);
}
