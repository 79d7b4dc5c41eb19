import { dark } from "./theme";

const LIGHT = {
  ink: "#2b2722",
  accent: "#2a6099",
  warm: "#b3541e",
  green: "#3d7a4a",
  purple: "#7a4f9a",
  soft: "#6b6459",
};
const DARK: typeof LIGHT = {
  ink: "#ece6db",
  accent: "#7fb2e6",
  warm: "#e8965f",
  green: "#86c793",
  purple: "#c3a0e0",
  soft: "#a79f92",
};

/** Colours for what is drawn on a canvas; the style sheet has the same ones. */
export const token = (name: keyof typeof LIGHT): string => (dark.value ? DARK : LIGHT)[name];

const CYCLE = ["accent", "warm", "green", "purple", "soft", "ink"] as const;
export const cycle = (place: number): string => token(CYCLE[place % CYCLE.length] ?? "ink");
