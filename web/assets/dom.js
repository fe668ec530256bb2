// Making elements. Text is always set as text, so names from a run cannot become markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  const flat = /** @type {any[]} */ (children).flat(Infinity);
  element.append(...flat.filter((c) => c != null && c !== false));
  return element;
}

/**
 * h("td", {class: "number"}, "12", h("b", {}, "!")) makes an HTML element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * s("path", {d: "…"}) makes an SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * byId returns an element that the page has, of the given kind.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} id
 * @param {new () => E} kind
 * @returns {E}
 */
export function byId(id, kind = /** @type {any} */ (HTMLElement)) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`the page has no ${kind.name} ${id}`);
}

/**
 * rooted returns the address of something of the run: pages and API of a run stand under the page's
 * root, "/runs/evening" where the server has several runs. Pages and API that are not of a run, and
 * all assets, have absolute addresses.
 * @param {string} path "/api/run"
 */
export function rooted(path) {
  return (document.documentElement.dataset.root ?? "") + path;
}

/** runName returns the ID of the run that the page is about, "" if it is about none. */
export function runName() {
  return document.documentElement.dataset.run ?? "";
}

/**
 * Tells in a place why there is nothing yet.
 * @param {string} text
 */
export function empty(text) {
  return h("p", { class: "empty" }, text);
}

/**
 * tile makes an entry of a <dl class="tiles">.
 * @param {string} name
 * @param {string} value
 * @param {string | null} [detail]
 */
export function tile(name, value, detail) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value, detail && h("small", {}, detail)));
}
