// Types for the check of the scripts (tests/js.sh). Nothing of this is served.

/** What an element may be given: lists are flattened; null, undefined and false are left out. */
type Child = Node | string | false | null | undefined | Child[];

type Attributes = Record<string, string | number | boolean | null | undefined>;

// The documents of the API (docs/reference/api.md). A test compares their fields with those that
// the server writes.

interface Run {
  run: string;
  game: string;
  /** Of the game, for people. */
  title: string;
  connected: boolean;
  caught_up: boolean;
  newest: Newest | null;
  config: string;
  /** That end the run, and how far off they are, each in words. */
  goals: string[];
  /** When the work began, when the training ends and when all is over; null where the page does not know. */
  course: { began: string; ends?: string; done?: string } | null;
  ending: Ending | null;
}

/** A sweep (croupier sweep), as its page shows it. */
interface ShownSweep {
  table: SweepTable;
  bands: SweepBand[];
  /** Results that are left out. */
  damaged?: number;
}

interface SweepTable {
  game: string;
  objective: string;
  smaller: boolean;
  curve: string;
  games?: number;
  rounds: SweepRound[];
  winner?: string;
}

interface SweepRound {
  report: boolean;
  budget_seconds: number;
  seeds: number[];
  played: number;
  runs: number;
  rows: SweepRow[];
}

interface SweepRow {
  candidate: string;
  settings: SweepSetting[];
  runs: number;
  failed: number;
  reached: number;
  value?: SweepEstimate;
  difference?: SweepEstimate;
  processor_seconds: number;
  games: number;
}

interface SweepSetting {
  name: string;
  value: string;
}

interface SweepEstimate {
  value: number;
  low?: number;
  high?: number;
}

interface SweepBand {
  candidate: string;
  /** processor seconds, value, and the ends of the interval */
  points: [number, number, number, number][];
}

/** A run in the list of runs. */
interface RunSummary {
  id: string;
  /** What people call it; absent: they gave no name. */
  name?: string;
  note?: string;
  root: string;
  game: string;
  /** Of the game, for people. */
  title: string;
  /** "tournament"; absent for training. */
  kind?: string;
  state: "running" | "ended" | "interrupted";
  created?: string;
  ended?: string;
  seconds_trained: number;
  games: number;
  samples: number;
  best?: string;
  rating?: RunRating;
  bytes: number;
  deletable: boolean;
  nameable: boolean;
  stoppable: boolean;
  resumable: boolean;
  /** Name of the file of the best version; absent: there is none. */
  export?: string;
  problem?: string;
}

/** The rating of a run's best agent. */
interface RunRating {
  value: number;
  low: number;
  high: number;
  unit: string;
  zero: string;
  decimals: number;
}

/** What runs have in common and not. */
interface Comparison {
  runs: ComparedRun[];
  /** Where their values differ. */
  settings: ComparedSetting[];
  /** Bots that can take part in a tournament. */
  references: string[];
  /** Why agents of these runs cannot meet; missing where they can. */
  apart?: string;
}

interface ComparedRun {
  id: string;
  name?: string;
  note?: string;
  nameable: boolean;
  root: string;
  game: string;
  /** Trained, the strongest first; without the temperature that they play best with. */
  agents: string[];
  best?: string;
}

interface ComparedSetting {
  key: string;
  /** By run, "" where it has none. */
  values: string[];
}

/** How a run has ended. */
interface Ending {
  state: "ended" | "interrupted";
  at: string;
  /** Of training. */
  seconds: number;
  best?: string;
  note?: string;
}

interface Newest {
  version: number;
  updates: number;
  samples: number;
}

/** Seconds, samples, value and, where it is known, the 95 % interval. */
type Point = [number, number, number] | [number, number, number, number, number];

interface Series {
  name: string;
  title: string;
  unit: string;
  help: string;
  section: string;
  zero?: boolean;
  awaited?: boolean;
  algorithms?: string[];
}

interface Curve {
  series: string;
  from: number;
  points: Point[];
}

interface League {
  population: Member[];
  self_play: number;
  opponents: Opponent[];
}

interface Member {
  name: string;
  updates: number;
  samples: number;
  order: number;
}

interface Opponent {
  name: string;
  share: number;
}

interface Role {
  role: string;
  id: string;
  name?: string;
  agent?: string;
  state: string;
  started: string;
  present: boolean;
  uptime_seconds: number;
  age_seconds: number;
  values: Record<string, number> | null;
  metrics_address?: string;
}

/** What became of games that were sent to the learner. */
interface GamesGiven {
  consumed: number;
  stale: number;
  refused: number;
  lost: number;
}

interface Contribution {
  actor: string;
  name?: string;
  present: boolean;
  consumed: number;
  stale: number;
  refused: number;
  lost: number;
  aside?: Quarantine;
}

interface Quarantine {
  actor: string;
  reason: string;
  detail: string;
  offences: number;
  by: string;
  since: string;
}

interface Contributions {
  actors: Contribution[];
  others: GamesGiven;
}

interface Ladder {
  game: string;
  /** Parity is one win in that many. */
  seats?: number;
  scale?: Scale;
  agents: Agent[];
  payoff: Payoff[];
  figures?: Figure[];
  promotions?: Promotion[];
  gate?: Gate;
  held_back?: HeldBack;
  /** The last of each exploiter. */
  resets?: Reset[];
  /** Why there is no curve of exploitability. */
  no_exploitability?: string;
  /** Other tables, of a run that trains on a family of rules. */
  tables?: LadderTable[];
  /** Of a tournament; absent for a run. */
  format?: string;
  rounds?: Meeting[][];
  test?: SequentialTest;
  correction?: Correction;
}

/** What the best versions got at another table than the ladder's, the newest last. */
interface LadderTable {
  name: string;
  rules: unknown;
  seats: number;
  against: string;
  unit: string;
  /** What everybody gets among equals. */
  parity: number;
  results: TableResult[];
  /** Versions that passed the gate and are worse here than the best, the newest last. */
  refused?: (TableResult & { best: TableResult })[];
}

interface TableResult {
  agent: string;
  games: number;
  value: number;
  low: number;
  high: number;
}

/** Results with as much chance taken out as the values of an agent explain. */
interface Correction {
  baseline: string;
  pairs: CorrectedPair[];
}

interface CorrectedPair {
  a: string;
  b: string;
  games: number;
  plain: Interval;
  corrected: Interval;
  variance_left: number;
}

/** The games of two agents in a round of a tournament. */
interface Meeting {
  a: string;
  /** Absent: a had nobody to meet. */
  b?: string;
  points_a: number;
  games: number;
  mean_return_a: number;
  mean_return_b: number;
}

/** Whether a is better than b. */
interface SequentialTest {
  a: string;
  b: string;
  gain: number;
  error: number;
  sets: number;
  most_sets: number;
  evidence: number;
  threshold: number;
  verdict: string;
}

interface Promotion {
  number: number;
  agent: string;
  over?: string;
  seconds: number;
  samples: number;
  gate_sets?: number;
  /** What the agent, and the best before it, can lose a game to an opponent that knows it. */
  exploitability?: number;
  exploitability_before?: number;
  gain?: Gain;
}

interface Gain {
  games: number;
  value: number;
  low: number;
  high: number;
}

/** What ratings mean. All is empty before the first rating. */
interface Scale {
  kind: "elo" | "money" | "";
  unit: string;
  unit_meaning?: string;
  zero: string;
  decimals: number;
}

/** A test that has not ended. */
interface Gate {
  agent: string;
  sets: number;
  max_sets: number;
}

/** An exploiter has begun again with new weights. */
interface Reset {
  agent: string;
  number: number;
  member: string;
  why: string;
}

/** A version that beats the best and is not best: an opponent that knows it wins more of it. */
interface HeldBack {
  agent: string;
  over: string;
  exploitability: number;
  exploitability_of_best: number;
}

interface Agent {
  name: string;
  kind: string;
  role?: string;
  /** Of the file of weights, where there is one. */
  sha256?: string;
  rating: number;
  low: number;
  high: number;
  games: number;
  best: boolean;
  /** What the best can lose a game to an opponent that knows it. */
  exploitability?: number;
  places?: { first: number; last: number };
  to_best?: Interval;
  to_previous?: Interval;
  figures?: Record<string, Interval>;
}

interface Interval {
  value: number;
  low: number;
  high: number;
}

interface Payoff {
  a: string;
  b: string;
  games: number;
  mean_return_a: number;
  low: number;
  high: number;
  /** Shares of the win are not there in games for money. */
  share_a?: number;
  share_low?: number;
  share_high?: number;
  /** What the ratings say, and whether the games say otherwise beyond chance. */
  rated: number;
  off: boolean;
}

interface Figure {
  name: string;
  unit: string;
  per: string;
  help: string;
}

/** The data of a server-sent event: the parts that changed, or all of them where full. */
interface Update {
  id: string;
  full: boolean;
  run?: Run;
  series?: Series[];
  curves?: Curve[];
  league?: League;
  ladder?: Ladder;
  roles?: Role[];
}

/** A game about whose positions can be asked. */
interface Advised {
  name: string;
  rules: Record<string, unknown>;
  example: unknown;
  agents: string[];
}

interface Adviser {
  agent: string;
  why: string;
  strength?: { agent: string; among: string; mean: number; low: number; high: number };
  unit?: string;
  games?: number;
}

interface Answer {
  game: string;
  agent: string;
  adviser: Adviser;
  exact: boolean;
  actions: Action[];
  best: number;
  unit: string;
  unit_meaning?: string;
  value_error?: number;
  decimals: number;
  reason: string;
  risk?: string;
  games?: number;
  notes?: string[];
  seat: number;
  /** What the seat knows, and the same in one line. */
  position?: unknown;
  line?: string;
  text?: string;
}

interface Action {
  action: number;
  name: string;
  value: number;
  loss: number;
  low: number;
  high: number;
  loss_low: number;
  loss_high: number;
  risk?: number;
  frequency?: number;
  p_value: number;
}

interface Report {
  game: string;
  rules: unknown;
  agent: string;
  adviser: Adviser;
  exact: boolean;
  unit: string;
  unit_meaning?: string;
  games: number;
  seats: SeatReview[];
  decisions: Decision[];
  notes?: string[];
}

interface SeatReview {
  seat: number;
  decisions: number;
  mistakes: number;
  loss_per_decision: number;
  loss_low: number;
  loss_high: number;
  accuracy: number;
}

interface Decision {
  game_index: number;
  step: number;
  seat: number;
  position?: unknown;
  line?: string;
  taken: number;
  taken_name: string;
  best: number;
  best_name: string;
  value: number;
  loss: number;
  loss_low: number;
  loss_high: number;
  p_value: number;
  mistake: boolean;
  reason: string;
  alternatives: Alternative[];
}

interface Alternative {
  action: number;
  name: string;
  loss: number;
  frequency?: number;
}

/** The answer to POST /api/replay. */
interface Replay {
  games: ReplayedGame[];
  choices: number[];
  parts: Part[];
  from: number;
  shows: Show[];
  positions: unknown[];
  open?: (OpenStep | null)[];
  open_unit?: string;
}

/** The answer to POST /api/outlook and GET /api/tables/ID/outlook: what a game is worth to its seats. */
interface Outlook {
  /** "": nobody says it. */
  agent: string;
  /** The agent is a solution; else a network. */
  solution: boolean;
  exact: boolean;
  /** Cards are hidden: each seat's value follows from what that seat sees. */
  hidden: boolean;
  unit: string;
  /** The step to which the first values belong. */
  from: number;
  /** By step and seat; null where the agent has not yet been asked in the seat. */
  values: (number | null)[][];
}

/** What the cards allowed at a step if all of them were open. */
interface OpenStep {
  leads: number[];
  moves: { action: number; lead: number }[];
}

interface ReplayedGame {
  game: string;
  /** Of the game, for people. */
  title: string;
  rules: Record<string, unknown>;
  steps: number;
  over: Over | null;
}

interface Part {
  step: number;
  name: string;
}
