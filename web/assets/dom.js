// Making elements. Text is always set as text, so names from a run cannot become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((c) => c != null && c !== false));
  return element;
}

// h("td", {class: "number"}, "12", h("b", {}, "!")) makes an HTML element.
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// s("path", {d: "…"}) makes an SVG element.
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export const byId = (id) => document.getElementById(id);

// Tells in a place why there is nothing yet.
export function empty(text) {
  return h("p", { class: "empty" }, text);
}

// tile makes an entry of a <dl class="tiles">.
export function tile(name, value, detail) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value, detail && h("small", {}, detail)));
}
