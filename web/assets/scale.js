// Axes: which values to mark, and where they lie.

const DURATIONS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/**
 * niceStep is the smallest of 1, 2, 5 × 10^n that divides the span into at most n parts.
 * @param {number} span
 * @param {number} n
 */
export function niceStep(span, n) {
  const raw = span / n;
  const power = 10 ** Math.floor(Math.log10(raw));
  return ([1, 2, 5].find((m) => m * power >= raw * (1 - 1e-9)) ?? 10) * power;
}

/**
 * timeStep is the same with steps that are round in seconds, minutes, hours and days.
 * @param {number} span
 * @param {number} n
 */
export function timeStep(span, n) {
  const step = DURATIONS.find((d) => span / d <= n);
  return step ?? niceStep(span / 86400, n) * 86400;
}

/**
 * marks lists the multiples of step within [low, high].
 * @param {number} low
 * @param {number} high
 * @param {number} step
 */
export function marks(low, high, step) {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/**
 * linear maps [low, high] to [from, to].
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @returns {(value: number) => number}
 */
export function linear(low, high, from, to) {
  const slope = (to - from) / (high - low || 1);
  return (v) => from + (v - low) * slope;
}

/**
 * extent widens [low, high] to multiples of a nice step, so that both ends have a
 * mark, and says the step. Zero is included where it is near, or asked for.
 * @param {number} low
 * @param {number} high
 * @param {{ zero?: boolean, parts?: number }} options
 */
export function extent(low, high, { zero = false, parts = 4 } = {}) {
  if (zero || (low > 0 && low < 0.35 * high)) low = Math.min(low, 0);
  if (zero || (high < 0 && high > 0.35 * low)) high = Math.max(high, 0);
  if (high - low < 1e-12 * Math.max(1, Math.abs(high))) {
    const room = Math.abs(high) * 0.1 || 1;
    [low, high] = [low === 0 ? 0 : low - room, high + room];
  }
  const step = niceStep(high - low, parts);
  return { low: Math.floor(low / step + 1e-9) * step, high: Math.ceil(high / step - 1e-9) * step, step };
}

/**
 * logarithmic maps [low, high], both above 0, to [from, to] by their logarithms.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @returns {(value: number) => number}
 */
export function logarithmic(low, high, from, to) {
  const position = linear(Math.log(low), Math.log(high), from, to);
  return (v) => position(Math.log(Math.max(v, low * 1e-3)));
}

/**
 * powers lists marks of a logarithmic axis from below low to above high: powers of ten, and 2 and
 * 5 of them where there are few.
 * @param {number} low
 * @param {number} high
 */
export function powers(low, high) {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.ceil(Math.log10(high) - 1e-9);
  const between = last - first > 2 ? [1] : [1, 2, 5];
  const step = Math.ceil((last - first) / 8);
  const all = [];
  for (let n = first; n <= last; n += Math.max(1, step)) {
    for (const m of between) all.push(Number((m * 10 ** n).toPrecision(1)));
  }
  const from = all.findLastIndex((v) => v <= low * (1 + 1e-9));
  const to = all.findIndex((v) => v >= high * (1 - 1e-9));
  return all.slice(Math.max(0, from), to < 0 ? all.length : Math.max(to + 1, from + 2));
}
