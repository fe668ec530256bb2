// What a person has played so far, from the file that Croupier keeps of them.

/**
 * statistics shows the person's games, if any are kept.
 * @param {HTMLElement} section
 * @param {HTMLElement} place
 * @param {string} name
 */
export function statistics(section, place, name) {
  section.hidden = true;
  place.replaceChildren();
  if (!name) return;
}
