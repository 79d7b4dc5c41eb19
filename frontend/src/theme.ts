import { effect, signal } from "@preact/signals";

const STORED = "honte.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const stored = localStorage.getItem(STORED);

export const dark = signal(stored === null ? system.matches : stored === "dark");

system.addEventListener("change", () => {
  if (localStorage.getItem(STORED) === null) dark.value = system.matches;
});

export function toggleTheme(): void {
  dark.value = !dark.value;
  localStorage.setItem(STORED, dark.value ? "dark" : "light");
}

effect(() => {
  document.documentElement.dataset.theme = dark.value ? "dark" : "light";
});
