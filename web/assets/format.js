// Numbers and times for people.

const MINUS = "\u2212";
const NARROW = "\u202f"; // narrow no-break space, between number and unit

/** @param {string} text */
function signed(text) {
  return text.replaceAll("-", MINUS);
}

/**
 * decimals that distinguish multiples of the step.
 * @param {number} step
 */
function decimals(step) {
  return Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

/** @type {[number, string][]} */
const SUFFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

/**
 * scaled returns the power of a thousand in which the size is written, and its suffix.
 * @param {number} size
 * @returns {[number, string]}
 */
function scaled(size) {
  return SUFFIXES.find(([unit]) => size >= unit) ?? [1, ""];
}

/**
 * ticks returns the function that writes the multiples of step on an axis whose
 * largest value is given: all with the same scale and number of decimals.
 * @param {number} step
 * @param {number} largest
 * @returns {(value: number) => string}
 */
export function ticks(step, largest) {
  const [scale, suffix] = scaled(largest >= 1e4 ? largest : 1);
  const digits = decimals(step / scale);
  return (v) => (v === 0 ? "0" : signed((v / scale).toFixed(digits)) + suffix);
}

/**
 * number writes a measured value with three to four significant digits, never with an exponent. What is smaller
 * than a billionth is an error of rounding, and written as 0.
 * @param {number} value
 */
export function number(value) {
  const size = Math.abs(value);
  if (size < 1e-9) return "0";
  if (Number.isInteger(value) && size < 1e4) return signed(String(value));
  if (size < 1e-3) return decimal(value, Math.min(9, 2 - Math.floor(Math.log10(size))));
  if (size < 9999.5) return significant(value);
  const [scale, suffix] = scaled(Number(size.toPrecision(3)));
  return significant(value / scale) + suffix;
}

/** @param {number} value with three digits, or as a whole number if it has more before the point */
function significant(value) {
  return signed(Math.abs(value) >= 999.5 ? value.toFixed(0) : value.toPrecision(3));
}

/**
 * count writes a whole number, short from ten thousand on.
 * @param {number} value
 */
export function count(value) {
  return Math.abs(value) >= 1e4 ? number(value) : String(Math.round(value));
}

/**
 * rating returns the function that writes ratings and their differences, as the terminal does
 * (Scale.Write in package messages).
 * @param {Scale} [scale]
 * @returns {(value: number) => string}
 */
export function rating(scale) {
  return (v) => decimal(v, scale?.decimals ?? 0);
}

/**
 * difference writes a difference of ratings with half the width of its interval.
 * @param {Interval} d
 * @param {Scale} [scale]
 */
export function difference(d, scale) {
  const write = rating(scale);
  const text = write(d.value);
  return `${d.value > 0 && /[1-9]/.test(text) ? "+" : ""}${text} ± ${write((d.high - d.low) / 2)}`;
}

/**
 * decimal writes a number with that many decimals, and never as "-0".
 * @param {number} value
 * @param {number} decimals
 */
export function decimal(value, decimals) {
  return signed(value.toFixed(decimals).replace(/^-(0\.?0*)$/, "$1"));
}

/**
 * bytes writes a size: "3.2 MB".
 * @param {number} size
 */
export function bytes(size) {
  const [scale, unit] = size >= 1e9 ? [1e9, "GB"] : size >= 1e6 ? [1e6, "MB"] : [1e3, "kB"];
  return `${(size / scale).toFixed(size / scale >= 100 ? 0 : 1)}${NARROW}${unit}`;
}

/**
 * amounts returns the function that writes values of advice and reviews for people: chances to win in
 * percent, cents with one decimal.
 * @param {{ unit: string }} of
 * @param {number} decimals of other units
 * @returns {(value: number) => string}
 */
export function amounts({ unit }, decimals) {
  if (unit === "win probability") return (v) => decimal(100 * v, 1) + NARROW + "%";
  if (unit === "ct") return (v) => decimal(v, 1) + NARROW + unit;
  return (v) => decimal(v, decimals) + " " + unit;
}

/** @param {number} value a share, of 1 */
export function percent(value) {
  return signed((value * 100).toFixed(1)) + NARROW + "%";
}

/** @type {[number, string][]} */
const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

/**
 * duration writes seconds with the two largest units: "2 h 5 min".
 * @param {number} seconds
 */
export function duration(seconds) {
  const whole = Math.round(seconds);
  const first = UNITS.findIndex(([size]) => whole >= size);
  if (first < 0) return "0" + NARROW + "s";
  const [size, unit] = UNITS[first];
  let text = Math.floor(whole / size) + NARROW + unit;
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((whole % size) / next[0]) : 0;
  if (rest > 0) text += " " + rest + NARROW + next[1];
  return text;
}

/**
 * label turns a counter's name into words: "games_per_second" into "games/s".
 * @param {string} name
 */
export function label(name) {
  return name.replace(/_per_second$/, "/s").replaceAll("_", " ");
}

/**
 * capital writes a text with a large first letter.
 * @param {string} text
 */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
