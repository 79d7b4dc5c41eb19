import type { FormulaName } from "../parts/Formula";
import type { Key } from "../texts/en";

/** A formula of the explorer: its name, its parameters, and the server's selection. */
export interface FormulaChoice {
  text: Key;
  formula: FormulaName;
  c: number;
  guided: boolean;
  selection: (c: number, more: { alpha: number; fpu: object }) => Record<string, unknown>;
}

export const CHOICES = {
  puct: {
    text: "f_puct",
    formula: "puct",
    c: 1.5,
    guided: true,
    selection: (c, { fpu }) => ({ kind: "puct", c_puct: c, first_play_urgency: fpu }),
  },
  alphazero: {
    text: "f_alphazero",
    formula: "growing",
    c: 1.25,
    guided: true,
    selection: (c, { fpu }) => ({
      kind: "puct",
      c_puct: c,
      c_log: 1,
      c_base: 19652,
      first_play_urgency: fpu,
    }),
  },
  katago: {
    text: "f_katago",
    formula: "katago",
    c: 1,
    guided: true,
    selection: (c, { fpu }) => ({
      kind: "puct",
      c_puct: c,
      c_log: 0.45,
      c_base: 500,
      first_play_urgency: fpu,
    }),
  },
  polynomial: {
    text: "f_polynomial",
    formula: "polynomial",
    c: 1.5,
    guided: true,
    selection: (c, { alpha, fpu }) => ({
      kind: "polynomial_puct",
      c,
      alpha,
      first_play_urgency: fpu,
    }),
  },
  uctlike: {
    text: "f_uctlike",
    formula: "uctlike",
    c: 1.5,
    guided: true,
    selection: (c, { fpu }) => ({ kind: "uct_like_puct", c, first_play_urgency: fpu }),
  },
  ucb1: {
    text: "f_ucb1",
    formula: "ucb1",
    c: 1,
    guided: false,
    selection: (c) => ({ kind: "ucb1", c }),
  },
} satisfies Record<string, FormulaChoice>;

export type FormulaKey = keyof typeof CHOICES;
