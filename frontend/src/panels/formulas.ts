import type { FormulaName } from "../parts/Formula";
import type { Key } from "../texts/en";
import type { Terms } from "../wire";

/** A parameter of a formula, under a slider of its own; `key` is its name in the address. */
export interface Parameter {
  key: string;
  label: Key | { symbol: string };
  initial: number;
  min: number;
  max: number;
  step: number;
  logarithmic?: boolean;
}

type Values = Record<string, number>;

/** A formula of the explorer: its name, its parameters, and the server's selection. */
export interface FormulaChoice {
  text: Key;
  formula: FormulaName;
  /** Whether a prior guides it, so that noise and first-play urgency have a say. */
  guided: boolean;
  terms: Terms;
  parameters: Parameter[];
  selection: (values: Values, more: { fpu: object; schedule: Schedule }) => Record<string, unknown>;
}

export const SCHEDULES = ["equivalence", "minimum_mse"] as const;
export type Schedule = (typeof SCHEDULES)[number];

const c = (initial: number, symbol = "c"): Parameter => ({
  key: "c",
  label: { symbol },
  initial,
  min: 0,
  max: 5,
  step: 0.05,
});
const K: Parameter = {
  key: "eq",
  label: "equivalence_k",
  initial: 1000,
  min: 1,
  max: 10_000,
  step: 1,
  logarithmic: true,
};
/** Its logarithm: a bias is small. */
const BIAS: Parameter = {
  key: "bias",
  label: "rave_bias",
  initial: -3,
  min: -6,
  max: 0,
  step: 0.5,
};
export const AMAF_SHARE: Parameter = {
  key: "share",
  label: "amaf_share",
  initial: 0.5,
  min: 0.05,
  max: 1,
  step: 0.05,
};

const scheduleOf = (schedule: Schedule, values: Values): object =>
  schedule === "equivalence"
    ? { kind: schedule, k: values.eq }
    : { kind: schedule, bias: 10 ** (values.bias ?? -3) };

/** Of these two the schedule has one. */
export const OF_SCHEDULE: Record<Schedule, string> = { equivalence: "eq", minimum_mse: "bias" };

export const CHOICES = {
  puct: {
    text: "f_puct",
    formula: "puct",
    guided: true,
    terms: "q_u",
    parameters: [c(1.5, "c_puct")],
    selection: (v, { fpu }) => ({ kind: "puct", c_puct: v.c, first_play_urgency: fpu }),
  },
  alphazero: {
    text: "f_alphazero",
    formula: "growing",
    guided: true,
    terms: "q_u",
    parameters: [c(1.25, "c_puct")],
    selection: (v, { fpu }) => ({
      kind: "puct",
      c_puct: v.c,
      c_log: 1,
      c_base: 19652,
      first_play_urgency: fpu,
    }),
  },
  katago: {
    text: "f_katago",
    formula: "katago",
    guided: true,
    terms: "q_u",
    parameters: [c(1, "c_puct")],
    selection: (v, { fpu }) => ({
      kind: "puct",
      c_puct: v.c,
      c_log: 0.45,
      c_base: 500,
      first_play_urgency: fpu,
    }),
  },
  polynomial: {
    text: "f_polynomial",
    formula: "polynomial",
    guided: true,
    terms: "q_u",
    parameters: [
      c(1.5),
      { key: "alpha", label: "alpha", initial: 0.5, min: 0.05, max: 1, step: 0.05 },
    ],
    selection: (v, { fpu }) => ({
      kind: "polynomial_puct",
      c: v.c,
      alpha: v.alpha,
      first_play_urgency: fpu,
    }),
  },
  uctlike: {
    text: "f_uctlike",
    formula: "uctlike",
    guided: true,
    terms: "q_u",
    parameters: [c(1.5)],
    selection: (v, { fpu }) => ({ kind: "uct_like_puct", c: v.c, first_play_urgency: fpu }),
  },
  ucb1: {
    text: "f_ucb1",
    formula: "ucb1",
    guided: false,
    terms: "q_u",
    parameters: [c(1)],
    selection: (v) => ({ kind: "ucb1", c: v.c }),
  },
  rave: {
    text: "f_rave",
    formula: "rave",
    guided: false,
    terms: "amaf",
    parameters: [K, BIAS, c(0)],
    selection: (v, { schedule }) => ({
      kind: "rave",
      c: v.c,
      schedule: scheduleOf(schedule, v),
    }),
  },
  grave: {
    text: "f_grave",
    formula: "rave",
    guided: false,
    terms: "amaf",
    parameters: [
      {
        key: "ref",
        label: "grave_reference",
        initial: 50,
        min: 1,
        max: 2000,
        step: 1,
        logarithmic: true,
      },
      K,
      { ...BIAS, initial: -5 },
      c(0),
    ],
    selection: (v, { schedule }) => ({
      kind: "grave",
      c: v.c,
      reference: v.ref,
      schedule: scheduleOf(schedule, v),
    }),
  },
  gumbel: {
    text: "f_gumbel",
    formula: "gumbel",
    guided: false,
    terms: "gumbel",
    parameters: [
      { key: "mc", label: "considered", initial: 16, min: 1, max: 32, step: 1 },
      { key: "cv", label: { symbol: "c_visit" }, initial: 50, min: 0, max: 200, step: 1 },
      { key: "cs", label: { symbol: "c_scale" }, initial: 1, min: 0.05, max: 2, step: 0.05 },
    ],
    selection: (v) => ({ kind: "gumbel", considered: v.mc, c_visit: v.cv, c_scale: v.cs }),
  },
} satisfies Record<string, FormulaChoice>;

export type FormulaKey = keyof typeof CHOICES;

/** The schedule that a formula has where the address names none. */
export const usualSchedule = (key: FormulaKey): Schedule =>
  key === "grave" ? "minimum_mse" : "equivalence";
