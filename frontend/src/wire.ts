/** The messages of src/honte/web/{requests,events}.py. */

export type Seat = "person" | "engine";

export interface SystemInfo {
  name: string;
  answer: "playout" | "network" | "with rollouts";
  needs_network: boolean;
  grows_tree: boolean;
  formula: string;
}
export interface Judgement {
  visits: number;
  black_winrate: number;
  black_lead: number | null;
  loss: number | null;
  points_loss: number | null;
  grade: "good" | "doubtful" | "mistake" | "blunder" | null;
}
export interface GameNode {
  id: number;
  parent: number | null;
  player: number | null;
  action: number | null;
  comment: string;
  judgement: Judgement | null;
}
export interface Setting {
  system: string;
  network: string;
  visits: number;
  seconds: number;
  black: Seat;
  white: Seat;
}
interface Numbered {
  number: number;
}
export interface Welcome extends Numbered {
  type: "welcome";
  session: string;
  version: string;
  systems: SystemInfo[];
  networks: string[];
  rules: string[];
  komi: Record<string, number>;
}
export interface Refused extends Numbered {
  type: "refused";
  message: string;
}
export interface Done extends Numbered {
  type: "done";
}
export interface Game extends Numbered {
  type: "game";
  serial: number;
  width: number;
  height: number;
  rules: string;
  komi: number;
  title: string;
  black_stones: number[];
  white_stones: number[];
  first_player: number;
  handicap: number;
  nodes: GameNode[];
  setting: Setting;
  warnings: string[];
  has_clock: boolean;
}
export interface Position extends Numbered {
  type: "position";
  node: number;
  board: string;
  to_play: number;
  last: number | null;
  move_number: number;
  moves: number[];
  captured: [number, number];
  forbidden: number[];
  over: boolean;
  outcome: string | null;
}
export interface Candidate {
  action: number;
  n: number;
  p: number;
  q: number;
  u: number;
  winrate: number;
  lead: number | null;
  bound: number;
  line: number[];
  line_visits: number[];
}
export interface Report extends Numbered {
  type: "report";
  node: number;
  player: number;
  visits: number;
  black_winrate: number;
  black_lead: number | null;
  raw_black_winrate: number | null;
  candidates: Candidate[];
  best: number | null;
  prior: number[];
  ownership: number[] | null;
  nodes: number;
  per_second: number;
  running: boolean;
}
export interface Judged extends Numbered {
  type: "judged";
  nodes: Record<string, Judgement>;
}
export interface Working extends Numbered {
  type: "working";
  work: "analyse" | "think" | "scan" | "compare" | "explore" | "bandit" | null;
  done: number;
  total: number;
}
export interface ClockFace {
  seconds: number;
  overtime: boolean;
  moves: number;
}
export interface ClockState extends Numbered {
  type: "clock";
  kind: "fischer" | "byo_yomi" | "canadian";
  black: ClockFace;
  white: ClockFace;
  running: number | null;
}
export interface Sgf extends Numbered {
  type: "sgf";
  text: string;
  name: string;
}
export interface Counted extends Numbered {
  type: "counted";
  node: number;
  score: number;
  dead: number[];
  area: number[];
  estimate: boolean;
}
/** index, place of the parent (−1: root), action, N, Q, P, player, exact value */
export type TreeRow = [number, number, number, number, number, number, number, number | null];
export interface SearchTree extends Numbered {
  type: "search_tree";
  node: number;
  rows: TreeRow[];
  total: number;
}
export type Terms = "q_u" | "amaf" | "gumbel" | "improved";
export interface Score {
  terms: number[];
  total: number | null;
  beta: number | null;
  amaf_n: number | null;
  amaf_q: number | null;
}
export interface TableRow {
  action: number;
  n: number;
  w: number;
  q: number;
  p: number;
  u: number;
  visited: boolean;
  score: Score;
}
export interface NodeTable extends Numbered {
  type: "node_table";
  path: number[];
  player: number;
  n: number;
  total: number;
  value: number;
  formula: string;
  terms: Terms;
  c: number;
  urgency: number | null;
  rows: TableRow[];
}
export interface StepEdge {
  action: number;
  n: number;
  w: number;
  q: number;
  u: number;
  p: number;
  score: Score | null;
}
export interface StepOfWay {
  node_index: number;
  player: number;
  n: number;
  urgency: number | null;
  terms: Terms;
  edges: StepEdge[];
  chosen: number;
  opened: boolean;
  after: StepEdge;
}
export interface Simulation {
  index: number;
  way: StepOfWay[];
  leaf_index: number;
  leaf_kind: "new" | "terminal" | "proven" | "cached" | "revisited" | "too_deep" | "transposition" | "cycle";
  player: number;
  value: number;
  priors: [number, number][] | null;
}
export interface Simulations extends Numbered {
  type: "simulations";
  node: number;
  fresh: boolean;
  simulations: Simulation[];
  ended: boolean;
}
export interface ExploredAction {
  action: number;
  prior: number;
  n: number;
  q: number;
  u: number;
  score: Score;
}
export interface CurveRow {
  action: number | null;
  prior: number | null;
  parameter: number | null;
  values: (number | null)[];
}
export interface Explored extends Numbered {
  type: "explored";
  made_up: boolean;
  player: number;
  total: number;
  c: number;
  urgency: number | null;
  terms: Terms;
  actions: ExploredAction[];
  chosen: number | null;
  curves: CurveRow[];
  curve_visits: number[];
  halving: { actions: number; visits: number }[];
  milestones: { simulations: number; visits: number[] }[];
  finished: boolean;
}
export interface BanditRun extends Numbered {
  type: "bandit_run";
  at: number[];
  repeats: number;
  strategies: { name: string; regret: number[]; pulls: number[] }[];
  finished: boolean;
}
export interface Compared extends Numbered {
  type: "compared";
  system: string;
  report: Report | null;
  rows: TreeRow[];
  depth: number | null;
  seconds: number;
  finished: boolean;
  message: string | null;
}
export type ServerEvent =
  | Welcome
  | Refused
  | Done
  | Game
  | Position
  | Report
  | Judged
  | Working
  | ClockState
  | Sgf
  | Counted
  | SearchTree
  | NodeTable
  | Simulations
  | Explored
  | BanditRun
  | Compared;

export interface Request {
  type: string;
  [field: string]: unknown;
}
