// Sounds made by the browser's own synthesis. Nothing is loaded, and nothing sounds before a person
// has switched sounds on: browsers start the synthesis only after a click anyway.

/** @typedef {Parameters<Settings["sound"]>[0]} Sound */

/** @type {AudioContext | null} */
let audio = null;
/** @type {AudioBuffer | null} */
let noise = null;

const LOUDNESS = 0.2;

/**
 * burst is filtered noise: paper, wood, clay.
 * @param {AudioContext} audio
 * @param {number} at seconds from now
 * @param {{ frequency: number, q: number, seconds: number, gain?: number }} shape
 */
function burst(audio, at, { frequency, q, seconds, gain = 1 }) {
  if (!noise) {
    noise = audio.createBuffer(1, audio.sampleRate / 4, audio.sampleRate);
    const samples = noise.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = 2 * Math.random() - 1;
  }
  const source = new AudioBufferSourceNode(audio, { buffer: noise });
  source.connect(new BiquadFilterNode(audio, { type: "bandpass", frequency, Q: q }))
    .connect(fading(audio, at, seconds, gain));
  source.start(audio.currentTime + at, 0, seconds);
}

/**
 * note is a soft tone.
 * @param {AudioContext} audio
 * @param {number} at seconds from now
 * @param {number} frequency Hz
 * @param {number} seconds
 * @param {number} gain
 */
function note(audio, at, frequency, seconds, gain = 0.5) {
  const source = new OscillatorNode(audio, { type: "triangle", frequency });
  source.connect(fading(audio, at, seconds, gain));
  source.start(audio.currentTime + at);
  source.stop(audio.currentTime + at + seconds);
}

/**
 * @param {AudioContext} audio
 * @param {number} at
 * @param {number} seconds
 * @param {number} gain
 */
function fading(audio, at, seconds, gain) {
  const node = new GainNode(audio, { gain: 0 });
  const begin = audio.currentTime + at;
  node.gain.setValueAtTime(0, begin);
  node.gain.linearRampToValueAtTime(LOUDNESS * gain, begin + 0.004);
  node.gain.exponentialRampToValueAtTime(0.0005, begin + seconds);
  node.connect(audio.destination);
  return node;
}

/** @type {Record<Sound, (audio: AudioContext) => void>} */
const SOUNDS = {
  card: (audio) => burst(audio, 0, { frequency: 2600, q: 0.8, seconds: 0.09 }),
  dice: (audio) => {
    for (const at of [0, 0.05, 0.085, 0.15]) burst(audio, at,
      { frequency: 1100 + 900 * Math.random(), q: 5, seconds: 0.03, gain: 2.4 });
  },
  chip: (audio) => {
    for (const at of [0, 0.06]) burst(audio, at, { frequency: 4200, q: 9, seconds: 0.04, gain: 2.4 });
  },
  trick: (audio) => {
    note(audio, 0, 523.25, 0.16);
    note(audio, 0.1, 659.25, 0.22);
  },
  win: (audio) => [523.25, 659.25, 783.99, 1046.5].forEach((frequency, i) =>
    note(audio, 0.05 * i, frequency, 0.9, 0.3)),
  lose: (audio) => {
    note(audio, 0, 329.63, 0.25);
    note(audio, 0.18, 261.63, 0.45);
  },
};

/**
 * play makes a sound.
 * @param {Sound} name
 */
export function play(name) {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  SOUNDS[name](audio);
}
