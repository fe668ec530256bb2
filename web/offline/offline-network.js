// The forward pass of a network (package nn), one decision at a time. What it computes differs from the program's own
// only in the order of sums, which a test bounds.

/**
 * @typedef {{ weight: number, bias: number, size: number }} DensePart places in the flat list of weights
 *
 * @typedef {object} Layer
 * @property {"dense" | "lstm" | "attention"} kind
 * @property {number} in
 * @property {number} out
 * @property {boolean} [relu]
 * @property {DensePart[]} [parts]
 * @property {number} [w]
 * @property {number} [u]
 * @property {number} [b]
 * @property {number} [o]
 * @property {number} [tokens]
 * @property {number} [features]
 * @property {number} [size]
 * @property {number} [heads]
 *
 * @typedef {object} Plan
 * @property {{ columns: [number, number][], layers: Layer[] | null }[]} branches columns are offset and size
 * @property {Layer[] | null} trunk
 * @property {Layer[][]} heads their outputs are those of the actions and, last, the value
 * @property {number} actions
 * @property {number} state numbers of the memory
 * @property {boolean} action_values
 * @property {boolean} dueling
 */

const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/**
 * times adds x·w to y, where w has a row of y.length columns for each x, from an offset on.
 * @param {Float64Array} y
 * @param {ArrayLike<number>} x
 * @param {Float32Array} w
 * @param {number} at
 */
function times(y, x, w, at) {
  for (let i = 0; i < x.length; i++, at += y.length) {
    const v = x[i];
    if (v !== 0) for (let j = 0; j < y.length; j++) y[j] += v * w[at + j];
  }
  return y;
}

/** @param {Float32Array} w @param {number} at @param {number} size */
const copy = (w, at, size) => Float64Array.from(w.subarray(at, at + size));

/** @param {Float64Array} y */
const relu = (y) => y.map((v) => Math.max(v, 0));

/** @param {ArrayLike<number>[]} lists */
const joined = (lists) => Float64Array.from(lists.flatMap((list) => Array.from(list)));

export class Network {
  /**
   * @param {Plan} plan
   * @param {Float32Array} weights the flat list of parameters
   */
  constructor(plan, weights) {
    this.plan = plan;
    this.weights = weights;
  }

  /** memory is that of a seat at the beginning of a game. */
  memory() {
    return new Float64Array(this.plan.state);
  }

  /**
   * decide computes one decision and advances the memory.
   * @param {ArrayLike<number>} observation
   * @param {number[]} legal actions
   * @param {Float64Array} memory
   * @returns {{ actions: Float64Array, value: number }} logits or values of the actions, -Infinity for illegal ones
   */
  decide(observation, legal, memory) {
    let at = 0;
    const run = (/** @type {Float64Array} */ x, /** @type {Layer[] | null} */ layers) => {
      for (const layer of layers ?? []) {
        if (layer.kind === "dense") x = this.dense(layer, x);
        else if (layer.kind === "attention") x = this.attention(layer, x);
        else {
          x = this.lstm(layer, x, memory.subarray(at, at + 2 * layer.out));
          at += 2 * layer.out;
        }
      }
      return x;
    };
    const branches = this.plan.branches.map(({ columns, layers }) =>
      run(joined(columns.map(([first, size]) => Array.from(observation).slice(first, first + size))), layers));
    const features = run(joined(branches), this.plan.trunk);
    const outputs = joined(this.plan.heads.map((layers) => run(features, layers)));
    return this.outputs(outputs, legal);
  }

  /** @param {Float64Array} outputs @param {number[]} legal */
  outputs(outputs, legal) {
    const { actions: count, action_values: values, dueling } = this.plan;
    const actions = new Float64Array(count).fill(-Infinity);
    const mean = legal.reduce((sum, a) => sum + outputs[a], 0) / legal.length;
    const base = dueling ? outputs[count] - mean : 0;
    for (const a of legal) actions[a] = base + outputs[a];
    return { actions, value: values ? Math.max(...legal.map((a) => actions[a])) : outputs[count] };
  }

  /** @param {Layer} layer @param {Float64Array} x */
  dense(layer, x) {
    const y = joined((layer.parts ?? []).map(({ weight, bias, size }) =>
      times(copy(this.weights, bias, size), x, this.weights, weight)));
    return layer.relu ? relu(y) : y;
  }

  /**
   * One step of a long short-term memory; the gates are input, forget, cell, output.
   * @param {Layer} layer @param {Float64Array} x
   * @param {Float64Array} state h and c, which it changes
   */
  lstm({ w = 0, u = 0, b = 0, out: n }, x, state) {
    const sums = times(times(copy(this.weights, b, 4 * n), x, this.weights, w), state.slice(0, n), this.weights, u);
    for (let i = 0; i < n; i++) {
      const c = sigmoid(sums[n + i]) * state[n + i] + sigmoid(sums[i]) * Math.tanh(sums[2 * n + i]);
      state[n + i] = c;
      state[i] = sigmoid(sums[3 * n + i]) * Math.tanh(c);
    }
    return state.slice(0, n);
  }

  /**
   * Multi-head attention over tokens, whose features are the inputs, ordered feature by feature.
   * @param {Layer} layer @param {Float64Array} x
   */
  attention({ w = 0, o = 0, tokens = 0, features = 0, size = 0, heads = 1, out }, x) {
    const output = out / tokens;
    const width = 3 * size + output;
    const rows = Array.from({ length: tokens }, (_, t) => {
      const own = Array.from({ length: features }, (_, f) => x[f * tokens + t]);
      return times(copy(this.weights, w + (features + t) * width, width), own, this.weights, w);
    });
    const d = size / heads;
    return joined(rows.map((row) => {
      const context = new Float64Array(size);
      for (let head = 0; head < heads; head++) {
        const first = head * d;
        const scores = rows.map((other) => {
          let dot = 0;
          for (let i = first; i < first + d; i++) dot += row[i] * other[size + i];
          return dot / Math.sqrt(d);
        });
        shares(scores).forEach((share, t) => {
          for (let i = first; i < first + d; i++) context[i] += share * rows[t][2 * size + i];
        });
      }
      return relu(times(row.slice(3 * size), context, this.weights, o));
    }));
  }
}

/** @param {number[]} scores */
function shares(scores) {
  const top = Math.max(...scores);
  const parts = scores.map((x) => Math.exp(x - top));
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((x) => x / sum);
}

/**
 * choose takes a legal action: the greatest, the first of equal ones, at temperature 0; else one drawn from the softmax
 * of what the network says divided by the temperature.
 * @param {Float64Array} actions @param {number[]} legal @param {number} temperature
 * @param {() => number} random
 */
export function choose(actions, legal, temperature, random) {
  if (temperature === 0) return legal.reduce((best, a) => (actions[a] > actions[best] ? a : best), legal[0]);
  return legal[drawn(shares(legal.map((a) => actions[a] / temperature)), random)];
}

/**
 * drawn returns the index of a part, each with its share of their sum.
 * @param {number[]} parts @param {() => number} random
 */
export function drawn(parts, random) {
  let left = random() * parts.reduce((a, b) => a + b, 0);
  const last = parts.length - 1;
  for (let i = 0; i < last; i++) {
    left -= parts[i];
    if (left < 0) return i;
  }
  return last;
}
