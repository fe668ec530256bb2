// Trainings that are begun, stopped and resumed on the page of runs, where the server allows it (croupier web --train).

import { ordered } from "./ask.js";
import { byId, h } from "./dom.js";
import { capital } from "./format.js";

/**
 * @typedef {object} TrainedGame
 * @property {string} game
 * @property {string} title
 * @property {{ name: string, help: string }[]} presets
 * @property {boolean} family
 */

/** The value of the rules that are those of many tables; no preset is called so. */
const FAMILY = "*";
/** Fields by their names in the API. */
const FIELDS = ["game", "preset", "for", "seed"];

/** @type {TrainedGame[]} */
let games = [];
let resumed = ""; // the run that the dialog is about; "": a new one

/** trains reports whether people can train on this page. */
export const trains = () => document.getElementById("training") !== null;

/**
 * show opens the dialog, for a new run or for one that is to continue.
 * @param {string} [run]
 */
export async function show(run = "") {
  resumed = run;
  byId("training-title").textContent = run ? `Resume ${run}` : "Train";
  byId("training-begin").textContent = run ? "Resume" : "Begin";
  for (const part of byId("training").querySelectorAll("[data-new]")) {
    if (part instanceof HTMLElement) part.hidden = run !== "";
  }
  clear();
  byId("training-for", HTMLInputElement).value = "10m";
  byId("training", HTMLDialogElement).showModal();
  if (run || games.length > 0) return;
  try {
    const response = await fetch("/api/trainings");
    if (!response.ok) throw new Error((await response.json()).error);
    games = (await response.json()).games;
  } catch (problem) {
    complain("", /** @type {Error} */ (problem).message);
    return;
  }
  byId("training-game").replaceChildren(...games.map((g) => h("option", { value: g.game }, g.title)));
  drawPresets();
}

function chosen() {
  const value = byId("training-game", HTMLSelectElement).value;
  return games.find((g) => g.game === value);
}

/** drawPresets offers the rules of the chosen game. */
function drawPresets() {
  const game = chosen();
  const list = [h("option", { value: "" }, "the usual rules"),
    ...(game?.presets ?? []).map((p) => h("option", { value: p.name }, p.name))];
  if (game?.family) list.push(h("option", { value: FAMILY }, "all of many tables"));
  const field = byId("training-preset", HTMLSelectElement);
  field.replaceChildren(...list);
  field.disabled = list.length === 1;
  drawHelp();
}

function drawHelp() {
  const value = byId("training-preset", HTMLSelectElement).value;
  const preset = chosen()?.presets.find((p) => p.name === value);
  byId("training-preset-help").textContent = value === FAMILY
    ? "One agent for other numbers of players, other lengths and other switches of the rules; it takes longer."
    : preset ? capital(preset.help) : "";
}

function clear() {
  for (const name of FIELDS) {
    byId(`training-${name}`).removeAttribute("aria-invalid");
    byId(`training-${name}-problem`).hidden = true;
  }
  byId("training-problem").hidden = true;
}

/**
 * complain reports what is wrong, next to the field that it is about, if it is about one.
 * @param {string} field
 * @param {string} text
 */
function complain(field, text) {
  const known = FIELDS.includes(field);
  const place = byId(known ? `training-${field}-problem` : "training-problem");
  place.textContent = capital(known ? text.replace(`${field}: `, "") : text);
  place.hidden = false;
  if (!known) return;
  byId(`training-${field}`).setAttribute("aria-invalid", "true");
  byId(`training-${field}`).focus();
}

async function begin() {
  clear();
  const button = byId("training-begin", HTMLButtonElement);
  const words = button.textContent;
  const length = byId("training-for", HTMLInputElement).value;
  button.disabled = true;
  button.textContent = "starting…";
  try {
    if (resumed) {
      await ordered(`/api/runs/${encodeURIComponent(resumed)}/resume`, { for: length });
      location.href = `/runs/${encodeURIComponent(resumed)}/`;
    } else {
      const rules = byId("training-preset", HTMLSelectElement).value;
      const { root } = await ordered("/api/trainings", { game: byId("training-game", HTMLSelectElement).value,
        preset: rules === FAMILY ? "" : rules, family: rules === FAMILY, for: length,
        seed: byId("training-seed", HTMLInputElement).value });
      location.href = `${root}/`;
    }
  } catch (problem) {
    const { field = "", message } = /** @type {Error & { field?: string }} */ (problem);
    complain(field, problem instanceof TypeError ? "The connection to Croupier is lost." : message);
  } finally {
    button.disabled = false;
    button.textContent = words;
  }
}

/** listen is called once, where people can train. */
export function listen() {
  byId("train").addEventListener("click", () => show());
  byId("training-cancel").addEventListener("click", () => byId("training", HTMLDialogElement).close());
  byId("training-game").addEventListener("change", drawPresets);
  byId("training-preset").addEventListener("change", drawHelp);
  byId("training-form").addEventListener("submit", (event) => {
    event.preventDefault();
    begin();
  });
}
