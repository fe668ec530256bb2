// What opens next to a button: explanations of words, and menus. A tap elsewhere, or Escape, closes it.

import { h } from "./dom.js";

/**
 * openNextTo has the button open the content next to itself.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} content
 */
export function openNextTo(button, content) {
  content.setAttribute("popover", "auto");
  content.classList.add("popover");
  button.popoverTargetElement = content;
  content.addEventListener("toggle", () => {
    if (!content.matches(":popover-open")) return;
    const at = button.getBoundingClientRect();
    const left = Math.min(at.left, document.documentElement.clientWidth - content.offsetWidth - 8);
    const below = at.bottom + 6 + content.offsetHeight <= innerHeight;
    content.style.left = `${Math.max(8, left)}px`;
    content.style.top = `${below ? at.bottom + 6 : Math.max(8, at.top - 6 - content.offsetHeight)}px`;
  });
}

/**
 * explain returns the term with a "?" that says what it means, by mouse, tap and keyboard.
 * @param {string} term
 * @param {string} text
 */
export function explain(term, text) {
  const button = h("button", { type: "button", class: "why", "aria-label": `What is meant by ${term}?` }, "?");
  const content = h("span", { role: "note" }, text);
  openNextTo(button, content);
  return h("span", { class: "explained" }, term, "\u2009", button, content);
}
