// The page of rules: a form made from what the game says of its rules, checked by the game.

import { byId, h } from "./dom.js";
import { capital } from "./format.js";
import { start } from "./stream.js";

/**
 * @typedef {{ key: string, help: string, low: number, high: number, values: string[] }} Rule
 * @typedef {{ name: string, help: string, rules: Record<string, unknown> }} Preset
 * @typedef {{ game: string, title: string, summary: string, default: Record<string, unknown>, rules: Rule[],
 *   presets: Preset[] }} RuledGame
 * @typedef {{ rules: Record<string, unknown>, document: string, caution?: string }} Checked
 */

/** @type {RuledGame[]} */
let games = [];
/** @type {Checked | null} */
let checked = null;
let asked = 0; // counts questions: only the answer to the newest is shown

const gameField = byId("ruled-game", HTMLSelectElement);
const presetField = byId("preset", HTMLSelectElement);
const form = byId("rules-form", HTMLFormElement);
const fileField = byId("rules-file", HTMLInputElement);

const chosen = () => /** @type {RuledGame} */ (games.find((g) => g.game === gameField.value));

/**
 * at returns the value of a key such as "bidding.max_bid".
 * @param {any} rules
 * @param {string} key
 */
const at = (rules, key) => key.split(".").reduce((value, name) => value?.[name], rules);

/**
 * words makes a name of a key: "max_bid" is "max bid".
 * @param {string} key
 */
const words = (key) => key.replaceAll("_", " ");

/**
 * control makes what a rule is changed with, by the kind of its value.
 * @param {Rule} rule
 * @param {unknown} value
 * @returns {HTMLElement[]}
 */
function control(rule, value) {
  const name = { name: rule.key, "aria-describedby": `help-${rule.key}` };
  if (typeof value === "boolean") return [h("input", { ...name, type: "checkbox", id: rule.key, checked: value })];
  if (rule.values.length > 0) {
    return [h("select", { ...name, id: rule.key }, rule.values.map(
      (v) => h("option", { value: v, selected: v === value }, words(v))))];
  }
  const bounds = { type: "number", min: rule.low, max: rule.high, step: 1, required: true };
  if (Array.isArray(value)) {
    return value.map((v, i) => h("input", { ...name, ...bounds, value: v, id: i === 0 ? rule.key : null,
      "aria-label": `${words(rule.key)}, player ${i + 1}` }));
  }
  return [h("input", { ...name, ...bounds, value: /** @type {number} */ (value), id: rule.key })];
}

/**
 * row is a line of the form.
 * @param {Rule} rule
 * @param {any} rules
 */
function row(rule, rules) {
  const value = at(rules, rule.key);
  const range = typeof value === "number" ? `, ${rule.low.toLocaleString()} to ${rule.high.toLocaleString()}` : "";
  return h("div", { class: "rule", "data-key": rule.key },
    h("label", { for: rule.key }, words(rule.key.split(".").at(-1) ?? "")),
    h("span", { class: "control" }, control(rule, value)),
    h("small", { id: `help-${rule.key}` }, rule.help + range, h("b", { class: "usual" })));
}

/**
 * draw fills the form with rules, in sections where their keys have some.
 * @param {Record<string, unknown>} rules
 */
function draw(rules) {
  const sections = new Map();
  for (const rule of chosen().rules) {
    const section = rule.key.includes(".") ? rule.key.split(".")[0] : "";
    sections.set(section, [...(sections.get(section) ?? []), row(rule, rules)]);
  }
  form.replaceChildren(...[...sections].map(([section, rows]) =>
    h("fieldset", {}, h("legend", {}, section ? words(section) : "rules"), rows)));
  ask(JSON.stringify(rules));
}

// written returns the rules as they stand in the form.
function written() {
  /** @type {Record<string, any>} */
  const rules = {};
  for (const { key } of chosen().rules) {
    const fields = [...form.querySelectorAll(`[name="${key}"]`)].map(valueOf);
    const path = key.split(".");
    const last = /** @type {string} */ (path.pop());
    const inner = path.reduce((object, name) => (object[name] ??= {}), rules);
    inner[last] = Array.isArray(at(chosen().default, key)) ? fields : fields[0];
  }
  return rules;
}

/** @param {Element} field */
function valueOf(field) {
  if (field instanceof HTMLSelectElement) return field.value;
  const input = /** @type {HTMLInputElement} */ (field);
  if (input.type === "checkbox") return input.checked;
  return Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : input.value;
}

/**
 * ask has the game check the rules, given as a document.
 * @param {string} document
 */
async function ask(document) {
  const number = ++asked;
  const response = await fetch("/api/rules", {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ game: gameField.value, rules: document }),
  });
  const answer = await response.json();
  if (number !== asked) return null;
  complain(response.ok ? null : answer);
  checked = response.ok ? answer : null;
  show();
  return checked;
}

/** @param {{ error: string, field?: string } | null} problem */
function complain(problem) {
  const place = byId("rules-problem");
  place.textContent = problem?.error ?? "";
  place.hidden = !problem;
  const at = problem?.field?.replace(/\[\d+\]$/, "");
  for (const line of form.querySelectorAll(".rule")) {
    const wrong = line.getAttribute("data-key") === at;
    for (const field of line.querySelectorAll("input, select")) field.toggleAttribute("aria-invalid", wrong);
  }
}

// show tells what the rules change, and leads to where they are used.
function show() {
  const game = chosen();
  const usable = checked !== null;
  let changed = 0;
  for (const line of form.querySelectorAll(".rule")) {
    const key = line.getAttribute("data-key") ?? "";
    const usual = at(game.default, key);
    const other = usable && JSON.stringify(at(checked?.rules, key)) !== JSON.stringify(usual);
    if (other) changed++;
    /** @type {HTMLElement} */ (line.querySelector(".usual")).textContent = other ? ` (usually ${usually(usual)})` : "";
  }
  byId("changed-rules").textContent = !usable ? "These rules are not possible yet." :
    changed === 0 ? "These are the usual rules."
      : `${changed} ${changed === 1 ? "rule differs" : "rules differ"} from the usual ones.`;
  const caution = checked?.caution ?? "";
  byId("rules-caution").hidden = !caution;
  byId("rules-caution").textContent = caution && `${capital(caution)}.`;
  const document = checked?.document ?? "";
  const query = new URLSearchParams({ game: game.game, rules: changed > 0 ? document : "" }).toString();
  link("rules-play", usable ? `/play?${query}` : "");
  link("rules-advice", usable ? `/advice#${query}` : "");
  byId("rules-save", HTMLButtonElement).disabled = !usable;
  byId("rules-train").textContent = `croupier train ${game.game} --rules ${fileName()}`;
  byId("rules-document").textContent = document;
  if (usable) history.replaceState(null, "", "#" + query);
}

/** @param {unknown} value */
function usually(value) {
  if (typeof value === "boolean") return value ? "on" : "off";
  return Array.isArray(value) ? value.join(" and ") : words(String(value));
}

const fileName = () => `${gameField.value}-rules.yaml`;

/**
 * @param {string} id
 * @param {string} href "" for a link that leads nowhere
 */
function link(id, href) {
  const element = byId(id, HTMLAnchorElement);
  if (href) element.href = href;
  else element.removeAttribute("href");
}

function save() {
  if (!checked) return;
  const url = URL.createObjectURL(new Blob([checked.document], { type: "application/yaml" }));
  h("a", { href: url, download: fileName() }).click();
  URL.revokeObjectURL(url);
}

/**
 * open shows the game with its presets.
 * @param {string} game
 * @param {string} document
 */
async function open(game, document) {
  gameField.value = game;
  presetField.replaceChildren(h("option", { value: "" }, "the usual rules"),
    ...chosen().presets.map((p) => h("option", { value: p.name }, p.name)));
  byId("preset-help").textContent = `${chosen().summary}.`;
  draw(chosen().default);
  if (!document) return;
  const read = await ask(document);
  if (read) draw(read.rules);
}

function listen() {
  gameField.addEventListener("change", () => open(gameField.value, ""));
  presetField.addEventListener("change", () => {
    const preset = chosen().presets.find((p) => p.name === presetField.value);
    byId("preset-help").textContent = `${preset?.help ?? chosen().summary}.`;
    draw(preset?.rules ?? chosen().default);
  });
  form.addEventListener("input", () => ask(JSON.stringify(written())));
  form.addEventListener("submit", (event) => event.preventDefault());
  fileField.addEventListener("change", async () => {
    const file = fileField.files?.[0]; // none where the choice was cancelled
    const read = file && await ask(await file.text());
    if (read) draw(read.rules);
    fileField.value = "";
  });
  byId("rules-save").addEventListener("click", save);
}

async function begin() {
  games = await (await fetch("/api/rules")).json();
  gameField.replaceChildren(...games.map((g) => h("option", { value: g.game }, g.title)));
  listen();
  const place = new URLSearchParams(location.hash.slice(1) || location.search);
  const named = games.find((g) => g.game === place.get("game"));
  await open(named?.game ?? games[0].game, (named && place.get("rules")) ?? "");
}

begin();
start();
