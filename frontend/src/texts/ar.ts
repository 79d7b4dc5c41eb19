import type { Texts } from "./en";
import { en } from "./en";
export const ar: Texts = en;
