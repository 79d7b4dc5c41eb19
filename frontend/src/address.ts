/** The address of what is shown: `#/panel?position and settings`. */

import { signal } from "@preact/signals";
import { decodeMoves, encodeMoves } from "./board";
import type { Game, Position, Request, Welcome } from "./wire";

export const PANELS = ["play", "inside", "explorer", "bandit", "compare"] as const;
export type Panel = (typeof PANELS)[number];

const OURS = { honte: true };
const POSITION_KEYS = ["b", "r", "k", "B", "W", "t", "m"];
/** How the engine thinks: its system and network, visits and seconds. */
const SETTING_KEYS = ["sys", "net", "vis", "sec"];
const KEPT = [...POSITION_KEYS, ...SETTING_KEYS];

interface Address {
  panel: Panel;
  values: URLSearchParams;
}

function parse(hash: string): Address {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const panel = PANELS.find((name) => name === path) ?? "play";
  return { panel, values: new URLSearchParams(query ?? "") };
}

export const address = signal<Address>(parse(location.hash));

function write(next: Address, push = false): void {
  address.value = next;
  const query = next.values.toString();
  const hash = `#/${next.panel}${query ? `?${query}` : ""}`;
  if (hash === location.hash) return;
  if (push) history.pushState(OURS, "", hash);
  else history.replaceState(OURS, "", hash);
}

export function goToPanel(panel: Panel): void {
  const kept = new URLSearchParams();
  for (const key of KEPT) {
    const value = address.value.values.get(key);
    if (value !== null) kept.set(key, value);
  }
  write({ panel, values: kept }, true);
}

/** Settings of a panel that belong into its address; the position stays. */
export function setValues(changes: Record<string, string | number | null>): void {
  const values = new URLSearchParams(address.value.values);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) values.delete(key);
    else values.set(key, String(value));
  }
  write({ panel: address.value.panel, values });
}

export function number(key: string, otherwise: number): number {
  const text = address.value.values.get(key);
  const value = text === null ? NaN : Number(text);
  return Number.isFinite(value) ? value : otherwise;
}

export const text = (key: string, otherwise: string): string =>
  address.value.values.get(key) ?? otherwise;

function positionValues(game: Game, position: Position): Record<string, string | null> {
  const { width, height } = game;
  const black = encodeMoves(game.black_stones, game);
  const white = encodeMoves(game.white_stones, game);
  return {
    b: width === height ? `${width}` : `${width}x${height}`,
    r: game.rules === "chinese" || game.rules === "custom" ? null : game.rules,
    k: `${game.komi}`,
    B: black || null,
    W: white || null,
    t: game.first_player === 1 ? "w" : null,
    m: encodeMoves(position.moves, game) || null,
  };
}

const settingValues = ({ setting }: Game): Record<string, string | null> => ({
  sys: setting.system,
  net: setting.network,
  vis: `${setting.visits}`,
  sec: setting.seconds > 0 ? `${setting.seconds}` : null,
});

export function showPosition(game: Game, position: Position): void {
  setValues({ ...positionValues(game, position), ...settingValues(game) });
}

/** The request for the engine's settings that the address names, if it names others than these.
 * A system or a network that this server has not stays as it is. */
export function wantedSetting(game: Game, hello: Welcome): Request | null {
  const values = address.value.values;
  const ours = settingValues(game);
  const changed = (key: string): boolean => values.has(key) && values.get(key) !== ours[key];
  const wish: Record<string, unknown> = {};
  const system = hello.systems.find((each) => each.name === values.get("sys"))?.name;
  const network = hello.networks.find((each) => each === values.get("net"));
  if (system && changed("sys")) wish.system = system;
  if (network && changed("net")) wish.network = network;
  if (changed("vis")) wish.visits = Math.round(number("vis", game.setting.visits));
  if (changed("sec")) wish.seconds = number("sec", 0);
  return Object.keys(wish).length ? { type: "configure", ...wish } : null;
}

/** Whether the address names another position than this one. */
export function namesAnother(game: Game, position: Position): boolean {
  const values = address.value.values;
  if (!values.has("b")) return false;
  const ours = positionValues(game, position);
  return POSITION_KEYS.some((key) => (values.get(key) ?? null) !== ours[key]);
}

/** The request for the position that the address names. */
export function wantedGame(): Request {
  const values = address.value.values;
  const [w, h] = (values.get("b") ?? "9").split("x").map(Number);
  const size = { width: w || 9, height: h || w || 9 };
  return {
    type: "new_game",
    ...size,
    rules: values.get("r") ?? "chinese",
    komi: values.has("k") ? number("k", 7.5) : null,
    black_stones: decodeMoves(values.get("B") ?? "", size),
    white_stones: decodeMoves(values.get("W") ?? "", size),
    to_play: values.get("t") === "w" ? 1 : 0,
    moves: decodeMoves(values.get("m") ?? "", size),
  };
}

/** `onForeign` hears of an address that a person typed or pasted, rather than one of ours. */
export function watchAddress(onForeign: () => void): void {
  window.addEventListener("popstate", (event) => {
    const next = parse(location.hash);
    const ours = (event.state as typeof OURS | null)?.honte === true;
    if (ours) {
      // Another panel, but the position on the board now.
      for (const key of KEPT) {
        const value = address.value.values.get(key);
        if (value === null) next.values.delete(key);
        else next.values.set(key, value);
      }
      write(next);
      return;
    }
    address.value = next;
    onForeign();
  });
}
