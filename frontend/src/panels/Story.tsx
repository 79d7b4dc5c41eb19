import { useEffect, useMemo, useRef } from "preact/hooks";
import { vertex } from "../board";
import { percent } from "../numbers";
import { Card } from "../parts/controls";
import { Curve } from "../parts/Curve";
import { game, judgements, position, send, size, working } from "../state";
import { player, t, type Key } from "../texts";
import { token } from "../tokens";
import type { GameNode, Judgement } from "../wire";
import { childrenOf, goTo, shownLine } from "./walking";

const BAD = new Set(["doubtful", "mistake", "blunder"]);
const isBad = (j: Judgement | undefined): boolean => j?.grade != null && BAD.has(j.grade);

export function GameGraph() {
  const line = shownLine.value;
  const known = judgements.value;
  const here = position.value?.node;
  const at = line.findIndex((node) => node.id === here);
  const { x, winrates, leads, reach } = useMemo(() => {
    const leadOf = (node: GameNode): number | null => known[node.id]?.black_lead ?? null;
    const found = line.map(leadOf);
    return {
      x: line.map((_, i) => i),
      winrates: line.map((node) => {
        const w = known[node.id]?.black_winrate;
        return w === undefined ? null : 100 * w;
      }),
      leads: found,
      reach: Math.max(5, ...found.map((v) => Math.abs(v ?? 0))),
    };
  }, [line, known]);
  const busy = working.value.work === "scan";
  const hasLeads = leads.some((v) => v !== null);
  const judged = winrates.filter((w) => w !== null).length;
  return (
    <Card
      title={t("graph")}
      aside={
        <button
          type="button"
          data-action="scan"
          data-judged={judged}
          onClick={() => send(busy ? { type: "cancel" } : { type: "scan", visits: 100 })}
        >
          {busy ? t("cancel") : t("scan")}
        </button>
      }
    >
      {busy && (
        <progress
          value={working.value.done}
          max={working.value.total || 1}
          aria-label={t("scanning", { done: working.value.done, total: working.value.total })}
        />
      )}
      <Curve
        x={x}
        lines={[
          { label: `${t("winrate")} ${player(0)} %`, values: winrates, colour: token("ink") , points: judged < 40 },
          ...(hasLeads
            ? [
                {
                  label: `${t("lead")} ${player(0)}`,
                  values: leads,
                  colour: token("accent"),
                  scale: "second",
                  dash: [5, 4],
                },
              ]
            : []),
        ]}
        range={[0, 100]}
        {...(hasLeads ? { second: [-reach, reach] as [number, number] } : {})}
        marker={at}
        least={20}
        height={170}
        label={`${t("graph")}: ${t("winrate")} ${player(0)}`}
        format={(v) => `${v.toFixed(0)}%`}
        onPick={(place) => {
          const node = line[place];
          if (node) goTo(node.id);
        }}
      />
      {hasLeads && (
        <p class="key">
          <span class="line ink" /> {t("winrate")} {player(0)} <span class="line accent dashed" />{" "}
          {t("lead")} {player(0)}
        </p>
      )}
    </Card>
  );
}

export function Mistakes() {
  const line = shownLine.value;
  const known = judgements.value;
  const bad = line
    .map((node, turn) => ({ node, turn, judgement: known[node.id] }))
    .filter((m) => isBad(m.judgement) && m.node.action !== null)
    .sort((a, b) => (b.judgement?.loss ?? 0) - (a.judgement?.loss ?? 0))
    .slice(0, 12);
  return (
    <Card title={t("mistakes")}>
      {bad.length === 0 ? (
        <p class="soft">{t("no_mistakes")}</p>
      ) : (
        <ol class="mistakes">
          {bad.map(({ node, turn, judgement }) => (
            <li key={node.id}>
              <button type="button" class="link" onClick={() => goTo(node.id)}>
                <span class={`stone small ${node.player ? "white" : "black"}`} aria-hidden="true" />
                <bdi dir="ltr">
                  {turn}. {vertex(node.action ?? 0, size.value, t("pass"))}
                </bdi>
              </button>
              <span class={`grade ${judgement?.grade}`}>
                {t(`grade_${judgement?.grade ?? "doubtful"}` as Key)}
              </span>
              <span class="soft">
                {t("loses", { x: percent(judgement?.loss ?? 0) })}
                {judgement?.points_loss != null &&
                  `, ${judgement.points_loss.toFixed(1)} ${t("points")}`}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

interface Placed {
  node: GameNode;
  x: number;
  y: number;
  turn: number;
}

/** Columns are moves, rows are variations: each branch takes the first row that is free. */
function layOut(root: GameNode, children: Map<number, GameNode[]>): Placed[] {
  const placed: Placed[] = [];
  const used: number[] = [];
  const waiting: { node: GameNode; x: number; from: number }[] = [{ node: root, x: 0, from: 0 }];
  while (waiting.length) {
    const { node, x, from } = waiting.pop()!;
    let length = 0;
    let end: GameNode | undefined = node;
    const chain: GameNode[] = [];
    while (end) {
      chain.push(end);
      length++;
      end = children.get(end.id)?.[0];
    }
    let y = from;
    const free = (row: number): boolean => {
      for (let i = -1; i < length; i++) if ((used[x + i] ?? -1) >= row) return false;
      return true;
    };
    while (!free(y)) y++;
    for (let i = 0; i < length; i++) used[x + i] = y;
    chain.forEach((each, i) => {
      placed.push({ node: each, x: x + i, y, turn: x + i });
      for (const other of (children.get(each.id) ?? []).slice(1)) {
        waiting.push({ node: other, x: x + i + 1, from: y + 1 });
      }
    });
  }
  return placed;
}

const STEP = 26;

export function Variations() {
  const nodes = game.value?.nodes;
  const here = position.value?.node;
  const known = judgements.value;
  const holder = useRef<HTMLDivElement>(null);
  const placed = useMemo(
    () => (nodes?.[0] ? layOut(nodes[0], childrenOf.value) : []),
    [nodes],
  );
  const at = new Map(placed.map((p) => [p.node.id, p]));
  const shown = here === undefined ? undefined : at.get(here);
  useEffect(() => {
    const element = holder.current;
    if (!element || !shown) return;
    element.scrollTo({
      left: (shown.x + 1) * STEP - element.clientWidth / 2,
      top: (shown.y + 1) * STEP - element.clientHeight / 2,
    });
  }, [shown?.x, shown?.y]);
  if (placed.length < 2) return null;
  const right = Math.max(...placed.map((p) => p.x)) + 1;
  const bottom = Math.max(...placed.map((p) => p.y)) + 1;
  return (
    <Card
      title={t("variations")}
      aside={
        here ? (
          <button type="button" onClick={() => send({ type: "delete", node: here })}>
            {t("delete_variation")}
          </button>
        ) : null
      }
    >
      <div class="variations" dir="ltr" ref={holder} tabIndex={0} role="region" aria-label={t("variations")}>
        <svg width={right * STEP + 8} height={bottom * STEP + 8} aria-hidden="true">
          <g transform={`translate(${STEP / 2 + 4} ${STEP / 2 + 4})`}>
            {placed.map(({ node, x, y }) => {
              const parent = node.parent === null ? undefined : at.get(node.parent);
              return parent ? (
                <path
                  key={`l${node.id}`}
                  class="twig"
                  d={
                    parent.y === y
                      ? `M${parent.x * STEP} ${y * STEP}H${x * STEP}`
                      : `M${parent.x * STEP} ${parent.y * STEP}V${y * STEP - STEP / 2}L${x * STEP - STEP / 2} ${y * STEP}H${x * STEP}`
                  }
                />
              ) : null;
            })}
            {placed.map(({ node, x, y, turn }) => (
              <g
                key={node.id}
                class={`knot ${node.id === here ? "here" : ""} ${isBad(known[node.id]) ? known[node.id]?.grade : ""}`}
                transform={`translate(${x * STEP} ${y * STEP})`}
                onClick={() => goTo(node.id)}
              >
                <circle
                  r={10.5}
                  class={node.player === null ? "start" : node.player ? "white" : "black"}
                />
                {node.player !== null && (
                  <text class={node.player ? "on-white" : "on-black"} y={3}>
                    {turn}
                  </text>
                )}
              </g>
            ))}
          </g>
        </svg>
      </div>
    </Card>
  );
}
