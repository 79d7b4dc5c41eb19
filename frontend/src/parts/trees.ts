import { hierarchy, tree as tidy, type HierarchyPointNode } from "d3-hierarchy";
import type { TreeRow } from "../wire";

/** A node of a search tree as it is drawn; Q is from the side to move at its parent. */
export interface Spot {
  index: number;
  action: number;
  n: number;
  q: number;
  p: number;
  player: number;
  exact: number | null;
  parent: Spot | null;
  children: Spot[];
}

export function spotsOf(rows: TreeRow[]): Spot | null {
  const spots: Spot[] = [];
  for (const [index, parent, action, n, q, p, player, exact] of rows) {
    const above = parent < 0 ? null : (spots[parent] ?? null);
    const spot: Spot = { index, action, n, q, p, player, exact, parent: above, children: [] };
    above?.children.push(spot);
    spots.push(spot);
  }
  // By age, so that a growing tree keeps its shape.
  for (const spot of spots) spot.children.sort((a, b) => a.index - b.index);
  return spots[0] ?? null;
}

/** The nodes along the most visited edges. */
export function principal(root: Spot): Set<Spot> {
  const found = new Set([root]);
  let spot: Spot | undefined = root;
  while (spot && spot.children.length) {
    const next: Spot = spot.children.reduce((a, b) => (b.n > a.n ? b : a));
    found.add(next);
    spot = next;
  }
  return found;
}

export type Drawn = HierarchyPointNode<Spot>;

/** `aspect`, height by width: the levels spread until the drawing has it. */
export function layOut(
  root: Spot,
  collapsed: ReadonlySet<number>,
  across: number,
  down: number,
  aspect = 0,
): Drawn {
  const shape = hierarchy(root, (spot) => (collapsed.has(spot.index) ? [] : spot.children));
  const drawn = tidy<Spot>()
    .nodeSize([across, down])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.3))(shape);
  if (aspect > 0 && drawn.height > 0) {
    let [left, right] = [0, 0];
    drawn.each((d) => {
      left = Math.min(left, d.x);
      right = Math.max(right, d.x);
    });
    const stretched = Math.max(1, (aspect * (right - left)) / (down * (drawn.height + 0.6)));
    drawn.each((d) => {
      d.y *= stretched;
    });
  }
  return drawn;
}

/** Actions from the root to a node. */
export function wayTo(spot: Spot): number[] {
  const way: number[] = [];
  let at: Spot | null = spot;
  while (at?.parent) {
    way.unshift(at.action);
    at = at.parent;
  }
  return way;
}

export const radius = (spot: Spot, root: Spot): number =>
  2.5 + 11 * Math.sqrt(spot.n / Math.max(1, root.n));
