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
  const button = h("button", { type: "button" }, "Copy position");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(line);
      button.textContent = "Copied";
    } catch { // not permitted, or the page came without encryption: the line is selected, to be copied by hand
      getSelection()?.selectAllChildren(code);
    }
  });
  place.replaceChildren(code, " ", button);
}
