// Motion that explains: what changed place travels there, in 150 to 250 ms. A click or a key cuts
// every motion short, and so does the next change of the same board; nothing waits for one.
//
// A board gives what may travel an attribute data-key that stays the same while it is the same
// thing ("card-17"), and changes its elements inside flip(). Only the properties translate,
// scale, rotate and opacity are animated, so an element's own transform stays as it is.

export const SHORT = 150; // ms
export const LONG = 250; // ms

/** @typedef {{ duration?: number, delay?: number, easing?: string }} Timing */
/** @typedef {{ box: DOMRect, element: Element }} Place where a thing was, and the element that it was */

/** @type {Map<Animation, Element>} */
const running = new Map();

/**
 * finish ends what moves below a host at once, as if its time were over.
 * @param {Node} host
 */
export function finish(host = document) {
  for (const [animation, element] of [...running]) if (host.contains(element)) animation.finish();
}

for (const event of ["pointerdown", "keydown"]) addEventListener(
  event, () => finish(), { capture: true, passive: true });

/**
 * animate moves an element through keyframes and back to where its style has it. The promise is
 * kept when it is there; without motion at once.
 * @param {Element} element
 * @param {Keyframe[]} frames
 * @param {Pick<Settings, "motion">} settings
 * @param {Timing} [timing]
 */
export async function animate(element, frames, settings, { duration = LONG, delay = 0, easing = "ease-out" } = {}) {
  if (!settings.motion) return;
  const animation = element.animate(frames, { duration, delay, easing, fill: "backwards" });
  running.set(animation, element);
  await animation.finished.catch(() => {}); // cancelled: its element is gone
  running.delete(animation);
}

/** @param {Element} host @returns {Map<string, Place>} */
function places(host) {
  const found = new Map();
  for (const element of host.querySelectorAll("[data-key]")) {
    found.set(element.getAttribute("data-key"), { box: element.getBoundingClientRect(), element });
  }
  return found;
}

// unit is how many pixels of the screen a length of 1 has where the element stands: inside an SVG
// its coordinates count.
/** @param {Element} element */
function unit(element) {
  const parent = element.parentElement;
  const drawn = element instanceof SVGGraphicsElement && parent instanceof SVGGraphicsElement;
  return (drawn && parent.getScreenCTM()?.a) || 1;
}

/**
 * travel has an element come from another place to its own.
 * @param {Element} element
 * @param {DOMRect} from
 * @param {Pick<Settings, "motion">} settings
 * @param {Timing} [timing]
 */
export async function travel(element, from, settings, timing) {
  if (!settings.motion) return;
  const to = element.getBoundingClientRect();
  const [dx, dy] = [from.x + from.width / 2 - to.x - to.width / 2, from.y + from.height / 2 - to.y - to.height / 2];
  const scale = to.width > 0 && from.width > 0 ? from.width / to.width : 1;
  if (Math.hypot(dx, dy) < 1 && Math.abs(scale - 1) < 0.02) return;
  const px = 1 / unit(element);
  await animate(element, [
    { translate: `${dx * px}px ${dy * px}px`, scale: `${scale}` }, { translate: "0px 0px", scale: "1" },
  ], settings, timing);
}

/**
 * leave has a copy of what is gone travel to a place and vanish there.
 * @param {Place} gone
 * @param {DOMRect} to
 * @param {Pick<Settings, "motion">} settings
 * @param {Timing} [timing]
 */
export async function leave(gone, to, settings, timing) {
  if (!settings.motion || !(gone.element instanceof HTMLElement || gone.element instanceof SVGSVGElement)) return;
  const copy = /** @type {HTMLElement | SVGSVGElement} */ (gone.element.cloneNode(true));
  for (const name of ["id", "data-key", "data-action"]) copy.removeAttribute(name);
  copy.setAttribute("aria-hidden", "true");
  copy.setAttribute("inert", "");
  copy.classList.add("leaving");
  const { x, y, width, height } = gone.box;
  Object.assign(copy.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  document.body.append(copy);
  const [dx, dy] = [to.x + to.width / 2 - x - width / 2, to.y + to.height / 2 - y - height / 2];
  await animate(copy, [
    { translate: "0px 0px", opacity: 1 }, { translate: `${dx}px ${dy}px`, opacity: 1, offset: 0.8 },
    { translate: `${dx}px ${dy}px`, opacity: 0 },
  ], settings, timing);
  copy.remove();
}

/**
 * flip calls change, which changes the elements below host, and then shows what went where:
 *
 *   - what has the same data-key as before travels from its old place;
 *   - what is new travels from the thing that its data-from names by key (as it was before, or is
 *     now), else it fades in;
 *   - what is gone travels to the thing whose key to(key) names, if there is one.
 *
 * @param {Element} host
 * @param {() => void} change
 * @param {Pick<Settings, "motion">} settings
 * @param {Timing & { to?: (key: string) => string | null | undefined }} [options]
 */
export function flip(host, change, settings, { to = () => null, ...timing } = {}) {
  finish(host);
  if (!settings.motion) {
    change();
    return;
  }
  const before = places(host);
  change();
  const after = places(host);
  for (const [key, { element }] of after) {
    const origin = element.getAttribute("data-from") ?? "";
    const from = before.get(key) ?? before.get(origin) ?? after.get(origin);
    if (from) travel(element, from.box, settings, timing);
    else animate(element, [{ opacity: 0 }, { opacity: 1 }], settings, { ...timing, duration: SHORT });
  }
  for (const [key, gone] of before) {
    const place = after.has(key) ? null : after.get(to(key) ?? "");
    if (place) leave(gone, place.box, settings, timing);
  }
}

/**
 * tumble has a die roll on its place until it settles.
 * @param {Element} die
 * @param {Pick<Settings, "motion">} settings
 * @param {Timing} [timing]
 */
export function tumble(die, settings, timing) {
  const px = 1 / unit(die);
  return animate(die, [
    { translate: `${-14 * px}px ${-22 * px}px`, rotate: "-200deg" },
    { translate: `${5 * px}px ${2 * px}px`, rotate: "25deg", offset: 0.7 },
    { translate: "0px 0px", rotate: "0deg" },
  ], settings, timing);
}

/**
 * bump has a number that grew swell for a moment.
 * @param {Element} element
 * @param {Pick<Settings, "motion">} settings
 * @param {Timing} [timing]
 */
export function bump(element, settings, timing) {
  return animate(element, [{ scale: "1" }, { scale: "1.18", offset: 0.4 }, { scale: "1" }], settings, timing);
}
