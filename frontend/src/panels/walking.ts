/** Moving about in the game's tree. */

import { computed, effect } from "@preact/signals";
import { game, position, send } from "../state";
import type { GameNode } from "../wire";

export const byId = computed(() => new Map(game.value?.nodes.map((node) => [node.id, node])));

export const childrenOf = computed(() => {
  const found = new Map<number, GameNode[]>();
  for (const node of game.value?.nodes ?? []) {
    if (node.parent === null) continue;
    const list = found.get(node.parent);
    if (list) list.push(node);
    else found.set(node.parent, [node]);
  }
  return found;
});

/** From the root through the node shown to the end of its first line. */
export const shownLine = computed((): GameNode[] => {
  const up: GameNode[] = [];
  let node = position.value ? byId.value.get(position.value.node) : undefined;
  while (node) {
    up.unshift(node);
    node = node.parent === null ? undefined : byId.value.get(node.parent);
  }
  let last = up[up.length - 1];
  while (last) {
    last = childrenOf.value.get(last.id)?.[0];
    if (last) up.push(last);
  }
  return up;
});

const PAUSE = 50;
/** Where we are on the way to; a held key goes on from there without waiting for the server. */
let target: number | null = null;
let timer = 0;

effect(() => {
  if (position.value?.node === target) target = null;
});

/** Show a node; of many in a row the last one is sent. */
export function goTo(node: number): void {
  target = node;
  if (timer !== 0) return;
  send({ type: "go_to", node });
  timer = window.setTimeout(() => {
    timer = 0;
    if (target !== null && target !== node) goTo(target);
  }, PAUSE);
}

const place = (): number => {
  const known = target !== null && byId.value.has(target) ? target : position.value?.node;
  return shownLine.value.findIndex((n) => n.id === known);
};
const at = (index: number): void => {
  const node = shownLine.value[index];
  if (node) goTo(node.id);
};

export const goUp = (): void => at(place() - 1);
export const goForward = (): void => at(place() + 1);
export const goToStart = (): void => at(0);
export const goToEnd = (): void => at(shownLine.value.length - 1);

/** The elder or younger sibling of the nearest node on the way up that has one. */
export function goToVariation(step: 1 | -1): void {
  let node = position.value ? byId.value.get(position.value.node) : undefined;
  while (node && node.parent !== null) {
    const siblings = childrenOf.value.get(node.parent) ?? [];
    if (siblings.length > 1) {
      const index = siblings.findIndex((s) => s.id === node?.id);
      const next = siblings[(index + step + siblings.length) % siblings.length];
      if (next) goTo(next.id);
      return;
    }
    node = byId.value.get(node.parent);
  }
}
