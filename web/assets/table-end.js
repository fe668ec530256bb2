// The end of a game: the result in words, then what the decisions cost, and the three that cost
// most, each with a table to try again.

import { byId, h } from "./dom.js";
import { decimal, number } from "./format.js";
import { asking } from "./question.js";
import { choicesOf, inParts } from "./review-parts.js";
import { settings } from "./settings.js";
import { lossIn, unitWords } from "./table-help.js";
import { sentence } from "./table-link.js";

const MOMENTS = 3;
const ALL_OPEN = -2; // the eye that sees all cards

/** @type {Record<string, string>} */
const WORDS = { won: "won", lost: "lost", tied: "tied", gained: "gained", even: "came out even" };

/**
 * amount writes a return with its sign.
 * @param {Over} over
 * @param {number} seat
 */
function amount(over, seat) {
  const text = decimal(over.returns[seat], over.decimals);
  return `${over.returns[seat] > 0 ? "+" : ""}${text} ${over.unit}`;
}

/** @param {Over} over */
const forMoney = (over) => over.results.some((r) => r === "gained" || r === "even") || over.unit !== "wins";

/**
 * headline reports how the game ended for the eye.
 * @param {Show} show
 * @param {Over} over
 */
export function headline(show, over) {
  const { eye, seats } = show;
  if (over.cut) return "The game was broken off: it has lasted too long.";
  if (eye >= 0) return `You ${WORDS[over.results[eye]] ?? over.results[eye]}${forMoney(over) ? `: ${amount(over, eye)}` : ""}.`;
  const first = over.results.findIndex((r) => r === "won" || r === "gained");
  if (first < 0) return "Nobody won.";
  const winners = seats.filter((_, i) => over.results[i] === over.results[first]).map((s) => s.name);
  return `${winners.join(" and ")} ${over.results[first]}.`;
}

/** @param {Show} show @param {Over} over */
function table(show, over) {
  const money = forMoney(over);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Results" },
    h("table", { class: "results" },
    h("thead", {}, h("tr", {}, h("th", {}, "Player"), h("th", {}, "Result"),
      over.scores && h("th", { class: "number" }, "Points"), money &&
        h("th", { class: "number" }, `Gained (${over.unit})`),
      show.table?.sum && h("th", { class: "number" }, "So far"))),
    h("tbody", {}, show.seats.map((seat, i) => h("tr", { class: i === show.eye ? "best" : null },
      h("th", { scope: "row" }, seat.name), h("td", { class: over.results[i] }, over.results[i]),
      over.scores && h("td", { class: "number" }, decimal(over.scores[i], 0)),
      money && h("td", { class: "number" }, decimal(over.returns[i], over.decimals)),
      show.table?.sum && h("td", { class: "number" }, decimal(show.table.sum[i], over.decimals)))))));
}

/** @param {import("./table.js").TablePage} page */
export function ending(page) {
  const place = byId("end");
  place.hidden = true;
  let drawn = -1; // the step whose end is shown
  let stop = () => {}; // calls the review off

  // judge has the decisions judged some at a time: what is known is shown while the others follow.
  /** @param {Show} show @param {HTMLElement} review */
  function judge(show, review) {
    const progress = h("div");
    const known = h("div");
    review.replaceChildren(progress, known);
    stop();
    const answers = asking(progress);
    stop = answers.clear;
    let history = "";
    answers.ask("Looking at what each decision cost", async (signal, tell) => {
      ({ history } = await page.link.post("/save", {}, { signal }));
      const choices = await choicesOf(history, signal);
      return inParts({ run: "", agent: "", histories: history }, choices, signal, (done, report) => {
        tell(`Looking at decision ${done + 1} of ${choices.length}`);
        known.replaceChildren(...moments(show, report, history));
      });
    }, (/** @type {Report} */ report) => known.replaceChildren(...accuracy(show, report),
      ...moments(show, report, history)));
  }

  // offer lets who only looks on ask for the review.
  /** @param {Show} show @param {HTMLElement} review */
  function offer(show, review) {
    const button = h("button", { type: "button" }, "What did the decisions cost?");
    button.addEventListener("click", () => judge(show, review));
    review.append(button);
  }

  // accuracy reports how well the eye has played, once the whole game is judged.
  /** @param {Show} show @param {Report} report */
  function accuracy(show, report) {
    const seat = report.seats.find((s) => s.seat === show.eye);
    if (!seat) return [];
    page.link.post("/accuracy", { accuracy: seat.accuracy }).catch(() => {}); // it is for statistics only
    return [h("p", { id: "accuracy" }, "Your accuracy: ", h("b", {}, decimal(seat.accuracy, 0)),
      ` of 100, with ${count(seat.mistakes, "mistake")} in ${count(seat.decisions, "decision")}.`)];
  }

  // moments lists what cost most so far.
  /** @param {Show} show @param {Report} report @param {string} history */
  function moments(show, report, history) {
    const own = report.decisions.filter((d) => show.eye < 0 || d.seat === show.eye);
    const worst = own.filter((d) => d.loss > 0).sort((a, b) => Number(b.mistake) - Number(a.mistake) || b.loss - a.loss)
      .slice(0, MOMENTS);
    const replay = (/** @type {number} */ step, eye = Math.max(show.eye, -1)) =>
      `/replay#${new URLSearchParams({ history, step: String(step), eye: String(eye) })}`;
    const allowed = (/** @type {number} */ step) => show.over?.open_cards &&
      h("a", { class: "allowed", href: replay(step, ALL_OPEN) }, "What the open cards allowed");
    return [
      worst.length > 0 ? h("h3", {}, "What cost most") : h("p", {}, "No decision lost anything."),
      h("ol", { class: "worst" }, worst.map((d) => h("li", {},
        h("p", {}, `Move ${d.step + 1}: ${d.taken_name} instead of `, h("b", {}, d.best_name),
          `, cost ${report.exact ? "" : "about "}`, h("b", { class: "lost" }, lossIn(d.loss, report.unit, number)),
        ` in ${unitWords(report.unit)}.`),
        h("p", { class: "detail" }, d.reason),
        h("p", { class: "buttons" }, h("a", { href: replay(d.step) }, "On the board"), allowed(d.step),
          show.eye >= 0 && again(d))))),
      h("p", {}, h("a", { href: replay(0) }, "Look at the whole game")),
    ];
  }

  /** @param {Decision} decision */
  function again(decision) {
    const button = h("button", { type: "button", class: "try-again" }, "Try again from here");
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        page.enter(await page.link.post("/again", { from: decision.step }));
      } catch (problem) {
        page.complain(sentence(problem));
        button.disabled = false;
      }
    });
    return button;
  }

  /** @param {Show} show */
  function sounds({ eye, over }) {
    if (eye >= 0 && over) settings.sound(["won", "gained"].includes(over.results[eye]) ? "win" : "lose");
  }

  return {
    /** @param {Show} show */
    show(show) {
      place.hidden = !show.over;
      if (!show.over) {
        stop();
        drawn = -1;
        place.replaceChildren();
        return;
      }
      if (drawn === show.step) return;
      drawn = show.step;
      const review = h("div", { id: "review" });
      place.replaceChildren(h("h2", { id: "result" }, headline(show, show.over)), table(show, show.over), review);
      sounds(show);
      if (show.eye >= 0) judge(show, review);
      else offer(show, review);
    },
    destroy() {
      stop();
      place.replaceChildren();
    },
  };
}

/** @param {number} n @param {string} what */
const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
