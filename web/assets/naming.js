// The dialog in which people give a run a name and a note.

import { ordered } from "./ask.js";
import { h } from "./dom.js";
import { capital } from "./format.js";

/** @typedef {{ id: string, name?: string, note?: string }} Named */

/**
 * rename opens the dialog for a run, and calls changed when the server has the new name.
 * @param {Named} run
 * @param {() => Promise<void>} changed
 */
export function rename(run, changed) {
  let before = { name: run.name ?? "", note: run.note ?? "" };
  const name = h("input", { id: "naming-name", autocomplete: "off", maxlength: 80, "aria-describedby": "naming-problem" });
  const note = h("textarea", { id: "naming-note", rows: 4, "aria-describedby": "naming-problem" });
  [name.value, note.value] = [before.name, before.note];
  const problem = h("p", { class: "problem", id: "naming-problem", role: "alert", hidden: true });
  const save = h("button", { type: "submit", id: "naming-save" }, "Save");
  const cancel = h("button", { type: "button", id: "naming-cancel" }, "Cancel");
  const form = h("form", {},
    h("h2", { id: "naming-title" }, `Name of ${run.id}`),
    h("div", { class: "asked" }, h("label", { for: "naming-name" }, "Name"), name),
    h("div", { class: "asked" }, h("label", { for: "naming-note" }, "Note"), note),
    problem, h("p", { class: "buttons" }, cancel, " ", save));
  const dialog = h("dialog", { class: "naming", "aria-labelledby": "naming-title" }, form);

  /** @param {Error & { field?: string, status?: number }} wrong */
  async function complain(wrong) {
    const { field = "", message } = wrong;
    if (wrong.status === 409) { // what was changed meanwhile is said, and saving again replaces it
      await changed();
      const now = await present(run.id);
      before = { name: now?.name ?? "", note: now?.note ?? "" };
    }
    problem.textContent = wrong instanceof TypeError ? "The connection to Croupier is lost."
      : wrong.status === 409 ? `Somebody has changed them meanwhile: the name is now ${before.name ? `“${before.name}”` : "none"}` +
        `${before.note ? `, the note “${before.note}”` : ""}. Save replaces this.`
        : capital(message.replace(`${field}: `, ""));
    problem.hidden = false;
    for (const [key, input] of Object.entries({ name, note })) input.setAttribute("aria-invalid", String(key === field));
    (field === "note" ? note : name).focus();
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    save.disabled = true;
    try {
      await ordered(`/api/runs/${encodeURIComponent(run.id)}/name`, { name: name.value, note: note.value, before });
      await changed();
      dialog.close();
    } catch (wrong) {
      await complain(/** @type {Error} */ (wrong));
    } finally {
      save.disabled = false;
    }
  });
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    const button = document.querySelector(`[data-name="${CSS.escape(run.id)}"]`); // perhaps another than before
    if (button instanceof HTMLElement) button.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  name.select();
}

/**
 * present returns a run as the server has it now.
 * @param {string} id
 * @returns {Promise<Named | undefined>}
 */
async function present(id) {
  const response = await fetch("/api/runs", { cache: "no-store" });
  /** @type {Named[]} */
  const runs = response.ok ? await response.json() : [];
  return runs.find((r) => r.id === id);
}
