// What boards are given and must do. Nothing of this is served.

/** A position as one eye sees it (package play, Show): all that a page knows of a table. */
interface Show {
  game: string;
  rules: Record<string, unknown>;
  seats: Seat[];
  /** Whose eyes these are: a seat, -1 a spectator, -2 all open. */
  eye: number;
  /** Steps made so far. An action answers the step at which it is chosen. */
  step: number;
  /** Who is to move: a seat, -1 chance, -2 nobody, the game is over. */
  mover: number;
  /** engine.Viewed: the game's own view; null for a game without one. */
  view: any;
  /** What the eye may do now, ascending; empty unless it is to move. */
  actions: Choice[];
  /** The newest steps (at most 40) in words, as the eye saw them, oldest first. */
  events: GameEvent[];
  clock?: Clock;
  over?: Over;
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
