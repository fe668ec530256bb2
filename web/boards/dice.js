// Dice, drawn by us: SVG with pips, distinguished by their number of pips and never by colour alone.
//
//   die(5)                            an <svg> of a die; die(0) is a place where none lies
//   picture([2, 5], "the roll")       dice as one picture with a name, for people who listen too
//   thrown(elements, settings)        has dice tumble and settle, with their sound
//   entry(host, {...})                entering dice that fell by tapping
//
// Styles are in dice.css.

import { style } from "./board.js";
import { h, s } from "./dom.js";
import { tumble } from "./motion.js";

// Places of the pips of each face, in a square of 100.
const [LOW, MIDDLE, HIGH] = [27, 50, 73];
/** @type {[number, number][][]} */
const PIPS = [
  [],
  [[MIDDLE, MIDDLE]],
  [[LOW, HIGH], [HIGH, LOW]],
  [[LOW, HIGH], [MIDDLE, MIDDLE], [HIGH, LOW]],
  [[LOW, LOW], [LOW, HIGH], [HIGH, LOW], [HIGH, HIGH]],
  [[LOW, LOW], [LOW, HIGH], [MIDDLE, MIDDLE], [HIGH, LOW], [HIGH, HIGH]],
  [[LOW, LOW], [LOW, MIDDLE], [LOW, HIGH], [HIGH, LOW], [HIGH, MIDDLE], [HIGH, HIGH]],
];

/**
 * die draws a die: decoration, so who shows it alone gives it a name.
 * @param {number} face 1 to 6, or 0 for an empty place
 */
export function die(face) {
  style("dice.css");
  return s("svg", { class: face ? "die" : "die none", viewBox: "0 0 100 100", "aria-hidden": "true",
    focusable: "false" },
    s("rect", { class: "body", x: 3, y: 3, width: 94, height: 94, rx: 20 }),
    PIPS[face].map(([cx, cy]) => s("circle", { class: "pip", cx, cy, r: 9.5 })));
}

/**
 * words lists dice: "2 and 5", "1, 1 and 4".
 * @param {number[]} faces
 */
export function words(faces) {
  if (faces.length < 2) return faces.join("");
  return `${faces.slice(0, -1).join(", ")} and ${faces[faces.length - 1]}`;
}

/**
 * picture shows dice side by side under one name.
 * @param {number[]} faces
 * @param {string} [what] they are: "the roll"
 */
export function picture(faces, what = "dice") {
  return h("span", { class: "dice", role: "img", "aria-label": faces.length ? `${what}: ${words(faces)}` : what },
    faces.map((face) => die(face)));
}

/**
 * thrown has dice tumble, one a little after the other.
 * @param {Iterable<Element>} dice
 * @param {Settings} settings
 */
export function thrown(dice, settings) {
  settings.sound("dice");
  [...dice].forEach((element, i) => tumble(element, settings, { delay: 25 * i, duration: 250 }));
}

/**
 * entry lets dice be entered by tapping their faces: a row of places and a key for each face. A
 * tap on a die that lies takes it away. Digits and Backspace do the same while the focus is inside.
 * @param {HTMLElement} host
 * @param {{ label: string, count: number, changed: (faces: number[]) => void }} options
 * @returns {{ set: (faces: number[], count?: number) => void, faces: () => number[], element: HTMLElement }}
 */
export function entry(host, { label, count, changed }) {
  style("dice.css");
  /** @type {number[]} */
  let faces = [];
  const places = h("span", { class: "places" });
  const keys = h("span", { class: "keys" }, [1, 2, 3, 4, 5, 6].map((face) => {
    const key = h("button", { type: "button", class: "die-button", "aria-label": `a ${face} fell` }, die(face));
    key.addEventListener("click", () => add(face));
    return key;
  }));
  const element = h("div", { class: "entry", role: "group", "aria-label": label }, places, keys);
  element.addEventListener("keydown", (event) => {
    if (/^[1-6]$/.test(event.key)) add(Number(event.key));
    else if (event.key === "Backspace") remove(faces.length - 1);
    else return;
    event.preventDefault();
  });
  host.append(element);

  /** @param {number} face */
  function add(face) {
    if (faces.length >= count) return;
    faces = [...faces, face];
    draw();
    changed(faces);
  }

  /** @param {number} i */
  function remove(i) {
    if (i < 0 || i >= faces.length) return;
    faces = faces.filter((_, j) => j !== i);
    draw();
    changed(faces);
  }

  function draw() {
    places.replaceChildren(...Array.from({ length: count }, (_, i) => {
      if (i >= faces.length) return h("span", { class: "place" }, die(0));
      const button = h("button", { type: "button", class: "die-button", "aria-label": `take the ${faces[i]} away` },
        die(faces[i]));
      button.addEventListener("click", () => remove(i));
      return button;
    }));
    for (const key of keys.children) key.toggleAttribute("disabled", faces.length >= count);
  }

  draw();
  return {
    set(next, places = count) {
      faces = next.slice(0, places);
      count = places;
      draw();
    },
    faces: () => faces,
    element,
  };
}
