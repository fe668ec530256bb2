// The card of Banluck: a hand is tapped, and it says what to do. Everything it needs is in the page.
{
  const RANKS = [..."23456789TA"];
  const TENS = 16; // cards in the deck that count 10; of the others there are 4
  const MOST = 5;

  /**
   * A hand with a choice: seat (0 player, 1 dealer), cards of the player that the dealer sees (0: none), ranks,
   * total, soft, how often it takes, what taking and stopping are worth, probability of a bust after taking.
   * @typedef {[number, number, string, number, number, number, number, number, number]} Row
   */

  const get = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
  /** @type {Row[]} */
  const rows = JSON.parse(get("hands").textContent ?? "[]");
  const known = new Map(rows.map((row) => [row.slice(0, 3).join(), row]));
  /** @type {string[]} */
  let cards = [];

  const chosen = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (
    document.querySelector(`input[name="${name}"]:checked`)).value;
  const dealer = () => Number(chosen("seat") === "dealer");
  const shown = (/** @type {string} */ rank) => rank.replace("T", "10");
  const order = (/** @type {string[]} */ list) => [...list].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b))
    .join("-");
  const number = (/** @type {number} */ v) => v.toFixed(3).replace("-", "\u2212").replace(/^\u2212(0\.0+)$/, "$1");
  const percent = (/** @type {number} */ v) => `${Math.round(100 * v)} %`;

  /** @param {string} tag @param {string} [text] @param {string} [kind] */
  function make(tag, text = "", kind = "") {
    const element = document.createElement(tag);
    element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }

  // The dealer is asked about a hard 15 before he sees how many cards the player will have.
  function find() {
    const hand = order(cards);
    return known.get([dealer(), 0, hand].join()) ?? known.get([dealer(), Number(chosen("against")), hand].join());
  }

  /** What taking and stopping are called. @param {Row} row */
  function names([seat, against, , total]) {
    if (seat === 1 && against === 0 && total === 15) return ["play on", "surrender"];
    return ["hit", seat === 1 && against > 2 ? "stand or reveal" : "stand"];
  }

  /** @param {Row} row @returns {[string, string]} what to do, and why */
  function advice(row) {
    const [seat, , , total, , share, takes, stops, bust] = row;
    const [take, stop] = names(row);
    const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);
    if (share > 0.005 && share < 0.995) return ["Mix", `${capital(take)} ${percent(share)} of the time, else ${stop}.`];
    const gain = Math.abs(takes - stops);
    const reasons = [`worth ${number(gain)} bets more`];
    if (seat === 0 && total <= 15) reasons.push("standing on 15 or less loses for certain");
    else if (bust > 0) reasons.push(`to ${take} ends above 21 in ${percent(bust)} of cases`);
    return [capital(share >= 0.5 ? take : stop), `${capital(reasons.join("; "))}.`];
  }

  /** Why there is nothing to choose. */
  function nothing() {
    if (cards.length < 2) return "Tap your cards.";
    return "There is nothing to choose with this hand.";
  }

  /** @param {string} name @param {number} value @param {boolean} best */
  function line(name, value, best) {
    const tr = make("tr", "", best ? "best" : "");
    const bar = make("meter-bar");
    bar.style.width = `${Math.max(2, Math.min(100, 50 + 50 * value))}%`;
    const cell = make("td");
    cell.append(bar);
    tr.append(make("th", name), cell, make("td", number(value)));
    return tr;
  }

  function draw() {
    get("against").hidden = dealer() === 0;
    const row = find();
    get("hand").replaceChildren(...cards.map((rank) => make("b", shown(rank))));
    if (row) get("hand").append(make("span", `= ${row[4] ? "soft " : ""}${row[3]}`));
    const [todo, why] = row ? advice(row) : ["", nothing()];
    get("do").textContent = todo;
    get("why").textContent = why;
    get("worth").replaceChildren();
    if (row) {
      const [take, stop] = names(row);
      get("worth").append(line(take, row[6], row[6] >= row[7]), line(stop, row[7], row[7] > row[6]));
    }
    for (const key of get("keys").querySelectorAll("button")) {
      const rank = key.value;
      key.disabled = cards.length === MOST || cards.filter((c) => c === rank).length >= (rank === "T" ? TENS : 4);
    }
    chart();
  }

  // chart lists what the seat does by total and number of cards, where it has a choice.
  function chart() {
    const against = dealer() ? Number(chosen("against")) : 0;
    const own = rows.filter((row) => row[0] === dealer() && row[1] === against);
    const totals = [...new Set(own.map((row) => row[3]))].filter((total) => total > 15 || dealer() === 1)
      .sort((a, b) => a - b);
    const table = get("chart");
    const head = make("tr");
    head.append(make("th"), ...totals.map((total) => make("th", String(total))));
    table.replaceChildren(head);
    for (const [size, soft] of [[2, 0], [2, 1], [3, 0], [3, 1], [4, 0], [4, 1]]) {
      const tr = make("tr");
      tr.append(make("th", `${size} ${soft ? "soft" : "hard"}`));
      for (const total of totals) {
        const cell = own.filter((row) => row[3] === total && row[4] === soft && row[2].split("-").length === size);
        const hits = cell.filter((row) => row[5] >= 0.5).length;
        const mixed = hits > 0 && hits < cell.length;
        const letter = hits * 2 >= cell.length ? "H" : "S";
        tr.append(cell.length ? make("td", mixed ? letter.toLowerCase() : letter,
          hits * 2 >= cell.length ? "takes" : "") : make("td"));
      }
      table.append(tr);
    }
  }

  for (const rank of RANKS) {
    const key = /** @type {HTMLButtonElement} */ (make("button", shown(rank)));
    key.type = "button";
    key.value = rank;
    key.addEventListener("click", () => {
      cards = [...cards, rank];
      draw();
    });
    get("keys").append(key);
  }
  get("back").addEventListener("click", () => { cards = cards.slice(0, -1); draw(); });
  get("clear").addEventListener("click", () => { cards = []; draw(); });
  for (const input of document.querySelectorAll("input")) input.addEventListener("change", draw);
  draw();
}
