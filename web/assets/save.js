// Charts as files: the numbers as CSV, the picture as SVG or PNG.

import { h } from "./dom.js";

/** @typedef {import("./chart.js").Chart} Chart */

// What a picture takes over from the style sheet.
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];
const SCALE = 2; // pixels of a PNG for each of the page

/**
 * csv writes the curves of a chart, one point a line.
 * @param {Chart} chart
 */
export function csv({ lines }) {
  const quoted = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = lines.flatMap(({ label, points, solid }) => points.slice(0, solid).map(
    (p) => [quoted(label), ...p, ...(p.length === 3 ? ["", ""] : [])].join(",")));
  return ["curve,seconds,samples,value,low,high", ...rows, ""].join("\n");
}

/**
 * picture returns a chart as a document of its own, in the colours of the page.
 * @param {Chart} chart
 */
export function picture({ svg, element, options }) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const [originals, copies] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  copies.forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLES) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  });
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 -28 ${width} ${height + 28}`);
  copy.setAttribute("height", String(height + 28));
  for (const name of ["tabindex", "role"]) copy.removeAttribute(name);
  const style = getComputedStyle(element);
  const rect = document.createElementNS(copy.namespaceURI, "rect");
  for (const [name, value] of Object.entries({ x: 0, y: -28, width, height: height + 28,
    fill: style.backgroundColor })) rect.setAttribute(name, String(value));
  const title = document.createElementNS(copy.namespaceURI, "text");
  for (const [name, value] of Object.entries({ x: 10, y: -10, fill: style.color, "font-family": style.fontFamily,
    "font-size": 15 })) title.setAttribute(name, String(value));
  title.textContent = options.title;
  copy.prepend(rect, title);
  return new XMLSerializer().serializeToString(copy);
}

/**
 * png draws the picture of a chart with twice the pixels of the page.
 * @param {Chart} chart
 * @returns {Promise<Blob>}
 */
async function png(chart) {
  const url = URL.createObjectURL(new Blob([picture(chart)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h("canvas", { width: image.width * SCALE, height: image.height * SCALE });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) => canvas.toBlob(
      (blob) => (blob ? done(blob) : failed(new Error("the browser cannot draw it"))), "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * save has the browser keep a chart as a file.
 * @param {Chart} chart
 * @param {"csv" | "svg" | "png"} format
 */
export async function save(chart, format) {
  const blob = format === "csv" ? new Blob([csv(chart)], { type: "text/csv" }) :
    format === "svg" ? new Blob([picture(chart)], { type: "image/svg+xml" }) : await png(chart);
  const name = chart.options.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: `${name}.${format}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
