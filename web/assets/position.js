// A position in one line (engine.Lined), to be copied to Advice, Drill, Companion or the terminal.

import { h } from "./dom.js";

/**
 * showLine shows the line in a place, which is hidden where there is none.
 * @param {HTMLElement} place
 * @param {string | undefined} line
 */
export function showLine(place, line) {
  if ((place.querySelector("code")?.textContent ?? "") === (line ?? "")) return;
  place.hidden = !line;
  if (!line) {
    place.replaceChildren();
    return;
  }
  const code = h("code", {}, line);
  place.replaceChildren(code, " ", copying(line, "Copy position"));
}

/**
 * copying is a button that copies a text, or where that is not permitted selects the text before it.
 * @param {string} text
 * @param {string} label
 */
export function copying(text, label) {
  const button = h("button", { type: "button" }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch { // not permitted, or the page came without encryption: it is copied by hand
      if (button.previousElementSibling) getSelection()?.selectAllChildren(button.previousElementSibling);
    }
  });
  return button;
}
