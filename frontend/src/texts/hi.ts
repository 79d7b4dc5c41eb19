import type { Texts } from "./en";
import { en } from "./en";
export const hi: Texts = en;
