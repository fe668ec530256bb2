// Joining a table of other people by its code.

import { byId } from "./dom.js";
import { memory, personKey, placeOf, remember } from "./play-memory.js";
import { ask, sentence } from "./table-link.js";

/**
 * joining asks for code and name and goes to the table.
 * @param {string} code from a link, or ""
 */
export function joining(code) {
  const codeField = byId("code", HTMLInputElement);
  const nameField = byId("join-name", HTMLInputElement);
  const problem = byId("join-problem");
  codeField.value = code;
  nameField.value = memory.name;
  problem.hidden = true;
  (code ? nameField : codeField).focus();
  const abort = new AbortController();
  byId("join-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = nameField.value.trim();
    if (name) remember({ name });
    try {
      const joined = await ask("/api/tables/join", { code: codeField.value.trim(), name: name || "Guest",
        person_key: personKey() });
      location.hash = placeOf(joined);
    } catch (refusal) {
      problem.textContent = sentence(refusal);
      problem.hidden = false;
    }
  }, { signal: abort.signal });
  return () => abort.abort();
}
