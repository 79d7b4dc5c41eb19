import { computed, effect, signal } from "@preact/signals";
import { en, type Key, type Texts } from "./en";

export type { Key };

/** The other languages come when they are chosen. */
const LOADERS: Record<string, () => Promise<Texts>> = {
  en: async () => en,
  id: async () => (await import("./id")).id,
  hi: async () => (await import("./hi")).hi,
  ar: async () => (await import("./ar")).ar,
};
export const LANGUAGES: Record<string, string> = {
  en: "English",
  id: "Bahasa Indonesia",
  hi: "हिन्दी",
  ar: "العربية",
};
const RIGHT_TO_LEFT = new Set(["ar"]);
const STORED = "honte.language";

const stored = localStorage.getItem(STORED);
const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LOADERS);
export const language = signal(stored !== null && stored in LOADERS ? stored : (preferred ?? "en"));
const texts = signal<Texts>(en);
const loaded = signal("en");

effect(() => {
  const wanted = language.value;
  localStorage.setItem(STORED, wanted);
  void LOADERS[wanted]?.().then((found) => {
    if (language.peek() !== wanted) return;
    texts.value = found;
    loaded.value = wanted;
  });
});
effect(() => {
  document.documentElement.lang = loaded.value;
  document.documentElement.dir = RIGHT_TO_LEFT.has(loaded.value) ? "rtl" : "ltr";
});

export const leftToRight = computed(() => !RIGHT_TO_LEFT.has(loaded.value));

/** A text with its gaps filled: `t("move_number", {n: 3})`. */
export function t(key: Key, gaps: Record<string, string | number> = {}): string {
  return texts.value[key].replace(/\{(\w+)\}/g, (_, name: string) => String(gaps[name] ?? ""));
}

/** So many visits, in words; `shown` is the number as it is written. */
export const visitsText = (n: number, shown: string): string =>
  n === 1 ? t("visit_1") : t("visits_n", { n: shown });

export const player = (side: number): string => t(side === 1 ? "white" : "black");

/** The system's name as people know it; its own where this page has none. */
export function systemName(name: string): string {
  const key = `sys_${name}` as Key;
  return key in en ? t(key) : name;
}
