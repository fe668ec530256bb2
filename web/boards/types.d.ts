// What boards are given and must do. Nothing of this is served.

/** A position as one eye sees it (package play, Show): all that a page knows of a table. */
interface Show {
  game: string;
  /** Of the game, for people. */
  title: string;
  rules: Record<string, unknown>;
  seats: Seat[];
  /** Whose eyes these are: a seat, -1 a spectator, -2 all open. */
  eye: number;
  /** Steps that the eye has noticed. An action answers the step at which it is chosen. */
  step: number;
  /**
   * Who is to move: a seat, -1 chance, -2 nobody, the game is over; -3 somebody else than the eye,
   * where it must not know more (a dealer who is asked in secret).
   */
  mover: number;
  /** engine.Viewed: the game's own view; of a game without one the text of what the seat observes, else null. */
  view: any;
  /** What the eye may do now, ascending; empty unless it is to move. */
  actions: Choice[];
  /** The newest steps (at most 40) in words, as the eye saw them, oldest first. */
  events: GameEvent[];
  /** What the seat to move knows, in one line, where the eye may choose for it. */
  line?: string;
  clock?: Clock;
  over?: Over;
  /** Where the home of the game tells the rules that matter now: its fragment is "rules-" and this. */
  stage?: string;
  /** Of a table at which people play (package play); not in replays. */
  table?: TableInfo;
}

/** What the page Play has to know of a table besides the position. */
interface TableInfo {
  id: string;
  /** Grows with every change, also where a move is taken back: the newest one holds. */
  revision: number;
  /** "waiting": seats are open, nothing has happened; "paused": by who watches. */
  state: "waiting" | "playing" | "paused" | "over";
  /** Whether this eye may take back a move now. */
  undo: boolean;
  /** Hints and thoughts are answered here (not at a table of several people, unless it is over). */
  help: boolean;
  /** Key for spectators. */
  watch: string;
  /** What the game is worth to the seats is told to this eye now: GET /outlook. */
  outlook?: boolean;
  /** By which further people join, while seats are open: they may not know the table's ID. */
  code?: string;
  /** Moves a second of agents among themselves; 0: as the pace of the table says. */
  speed: number;
  /** The table that follows this one ("/again"), with the key of this eye there. */
  next?: NextSeat;
  /** Of people who share a page. */
  device?: Device;
  /** What people of several tables of one sitting have won so far, by seat, in the unit. */
  sum?: number[];
  /** What each seat bets in this game and in the next one, in the unit, 0 for seats that do not bet: of games in
   *  which people bet. */
  bets?: number[];
  next_bets?: number[];
  /** Whether the table as it is now is still there when the server is started again. */
  kept?: boolean;
  /** Why the game cannot continue, as a sentence. */
  problem?: string;
}

/** What people who share a page have to know. */
interface Device {
  /** Theirs. */
  seats: number[];
  /** The one of them who is to move, -1 none. */
  asked: number;
  /** Cards are covered until the key with the seat of who is asked ("KEY:SEAT") says that they have the device. */
  covered: boolean;
  /** A question to several of them at once. */
  poll?: Poll;
}

/** A question to several people at once: does anybody do it now? */
interface Poll {
  /** In the order in which they are asked. */
  seats: number[];
  does: Choice;
  does_not: Choice;
}

interface NextSeat {
  table: string;
  key: string;
}

interface Seat {
  /** For people: "You", "Anna", "Expert". */
  name: string;
  kind: "you" | "person" | "agent" | "open";
  /** What an agent is, in words: "trained network, greedy". */
  about?: string;
  /** Of people: whether a page or terminal of theirs is connected. */
  present?: boolean;
}

interface Choice {
  action: number;
  /** engine.State.ActionName. */
  name: string;
}

interface GameEvent {
  /** Its number among the steps that the eye has noticed, from 1: Show.step right after it. */
  step: number;
  /** Seat or -1 chance. */
  player: number;
  /** What the eye saw; "" where it saw only that a step was made. */
  name: string;
  /** Why, if it was not the person's own choice: "30 s are over". */
  note?: string;
}

interface Clock {
  /** Seconds until the fallback is played for the seat to move, when this was written. */
  left: number;
  limit: number;
  /** Name of the action that is played then. */
  fallback: string;
}

interface Over {
  /** By seat, in the unit. */
  returns: number[];
  unit: string;
  decimals: number;
  /** The game's own points by seat, if it has any. */
  scores?: number[];
  /** By seat: "won", "lost", "tied", or in games for money "gained", "lost", "even". */
  results: string[];
  /** The game was broken off after Spec.MaxHistory steps. */
  cut?: boolean;
  /** A replay with all cards open tells what they allowed. */
  open_cards?: boolean;
}

/** What a board may ask of the page. */
interface Table {
  /**
   * Chooses an action. An illegal one may be passed as well (a tap on a dimmed card): the page
   * answers with the rule that forbids it.
   */
  act(action: number): void;
  settings: Settings;
}

interface Settings {
  /** false with prefers-reduced-motion. */
  motion: boolean;
  fourColours: boolean;
  /** Plays a sound if sounds are on. */
  sound(name: "card" | "dice" | "chip" | "trick" | "win" | "lose"): void;
}

/** A board in the page. */
interface MountedBoard {
  /**
   * Shows a position; previous is the one shown before, if it is of the same game and earlier,
   * so that what happened in between can be shown as motion. Without it the board jumps.
   */
  show(show: Show, previous?: Show): void;
  /**
   * The element that stands for an action of the shown position, on which the page puts a mark
   * (outline and a few letters), or null where there is none at the moment.
   */
  element(action: number): Element | null;
  /** Removes what the board has put into the page and its listeners. */
  destroy(): void;
}

/** The export `board` of board-NAME.js. */
interface Board {
  mount(host: HTMLElement, table: Table): MountedBoard;
  /**
   * Lets a position of the game be put together by tapping and typing (engine.Positioned): calls
   * changed with each position, as ParsePosition reads it. Impossible ones may be passed: the
   * server says what is wrong.
   */
  editor?(host: HTMLElement, options: EditorOptions): MountedEditor;
}

interface EditorOptions {
  rules: Record<string, unknown>;
  /** To begin with. */
  position: any;
  changed(position: any): void;
  settings: Settings;
}

interface MountedEditor {
  /** Shows another position. */
  set(position: any): void;
  /** Marks what is wrong: the field as the server names it, "hand[3]", and the sentence. */
  complain(field: string, problem: string): void;
  destroy(): void;
}

// Documents of the tables' API (docs/reference/tables.md).

/** GET /api/play?run=R: {"games": PlayedGame[]}. */
interface PlayedGame {
  name: string;
  /** For people: "BANK!", "Lange Strasse". */
  title: string;
  summary: string;
  /** Seats under the usual rules. */
  seats: number;
  /** Numbers of seats that its rules allow; a table gets as many as its list of seats has. */
  fewest: number;
  most: number;
  /** Of seats that differ, what each is: "dealer", "player". */
  roles?: string[];
  /** Seconds that a person has for a move unless the table says otherwise; 0: as long as they like. */
  timeout_seconds: number;
  /** People can say what chance does, such as the dice of a real table. */
  entered: boolean;
  /** What statistics of the game are about; unit "share": a part of what is counted. */
  figures?: { name: string; unit: string; per: string; help: string }[];
}

/** GET /api/levels?game=G&run=R: {"levels": Level[]}, weakest first. */
interface Level {
  /** For people: "Beginner", "Expert", "main@8". */
  name: string;
  /** Its name for POST /api/tables. */
  agent: string;
  /** What it is, in words. */
  about: string;
  /** How strong it is, in words, with interval. */
  strength?: string;
  /** Of the strongest: what people must know before the game. */
  caution?: string;
}

/** Body of POST /api/tables. */
interface NewTable {
  game: string;
  /** YAML or JSON, as text. */
  rules?: string;
  run?: string;
  seats: ({ person: string; person_key?: string; bet?: number; shared?: boolean } | { agent: string } | { open: true })[];
  /** From 2^53 on a string. */
  seed?: number | string;
  /** 0: people have as long as they like. */
  timeout_seconds?: number;
  pace?: "none" | "short" | "slow";
  undo?: boolean;
  /** People say what chance did (real dice): outcomes are among the actions at chance nodes. */
  entered?: boolean;
  /** Begins after that many steps of a game that was played before ("try again from here"). */
  from?: { history: string; step: number };
}

/** Answer of POST /api/tables. */
interface MadeTable {
  table: string;
  /** By seat; "" for agents. The key of an open seat is a link for who is to sit there. */
  keys: string[];
  /** For spectators. */
  watch: string;
  /** For who made it: fills seats, sets the speed. */
  host: string;
  code?: string;
}

// Further requests, all POST with ?key=K, all answered with a Show unless said otherwise:
//   /act {step, action}, /undo {}, /leave {}, /poll {step, seats}: those at the device who do what they are asked together,
//   /accuracy {accuracy}: what a review of the finished game found, for the person's statistics -> {},
//   /join {name, person_key?} with the key of an open seat, which it uses up -> {table, key},
//   /again {exchange?, from?} -> MadeTable of the new table with the keys that K had; from: this
//   game again from after that many steps of it; /save {} -> {history}, /hint {} -> Answer,
//   /thoughts {} -> Thoughts,
//   /fill {agent} (host): the agent takes all open seats and the game begins,
//   /speed {moves_per_second?, paused?, step?} (host): agents among themselves.
// GET /api/tables/ID/outlook?key=K -> Outlook, for those who watch, where table.outlook says so.
// POST /api/tables/join {code, name, person_key?} -> {table, key}: an open seat of the table with that code.

/** How an agent comes to its move: probabilities of the legal actions, what it does with them ("takes the likeliest …"),
 * and what the game is worth to it. */
interface Thoughts {
  agent: string;
  actions: { action: number; name: string; probability: number }[];
  plays: string;
  value: number;
  unit: string;
}
