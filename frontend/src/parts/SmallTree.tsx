import { t } from "../texts";
import type { TreeRow } from "../wire";
import { layOut, principal, radius, spotsOf } from "./trees";

/** A tree at a glance. */
export function SmallTree({ rows }: { rows: TreeRow[] }) {
  const root = spotsOf(rows);
  if (!root || rows.length < 2) return null;
  const drawn = layOut(root, new Set(), 16, 34);
  const nodes = drawn.descendants();
  const blue = principal(root);
  const xs = nodes.map((d) => d.x);
  const left = Math.min(...xs) - 14;
  const width = Math.max(...xs) + 14 - left;
  const height = Math.max(...nodes.map((d) => d.y)) + 28;
  return (
    <svg
      class="small-tree"
      viewBox={`${left} -14 ${width} ${height}`}
      role="img"
      aria-label={t("inside")}
    >
      {drawn.links().map(({ source, target }) => (
        <path
          key={target.data.index}
          class={blue.has(target.data) ? "limb blue" : "limb"}
          d={`M${source.x} ${source.y}C${source.x} ${(source.y + target.y) / 2} ${target.x} ${(source.y + target.y) / 2} ${target.x} ${target.y}`}
        />
      ))}
      {nodes.map((d) => (
        <circle
          key={d.data.index}
          class={`bud ${blue.has(d.data) ? "blue" : ""}`}
          cx={d.x}
          cy={d.y}
          r={radius(d.data, root) * 0.8}
        />
      ))}
    </svg>
  );
}
