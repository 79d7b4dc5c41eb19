import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { number, setValues, text } from "../address";
import { Asker } from "../ask";
import { playOut, vertex } from "../board";
import { fixed, percent, signed, term } from "../numbers";
import { Board } from "../parts/Board";
import { Card, Intro, Segments, Slider } from "../parts/controls";
import type { FormulaName } from "../parts/Formula";
import { TreeCanvas } from "../parts/TreeCanvas";
import { spotsOf, wayTo, type Spot } from "../parts/trees";
import { analysing, game, position, send, size, tree } from "../state";
import { player, t } from "../texts";
import type { NodeTable, ServerEvent } from "../wire";
import { Steps } from "./Steps";

const table = signal<NodeTable | null>(null);
const asker = new Asker((event: ServerEvent) => {
  if (event.type === "node_table") table.value = event;
});

export const moveName = (action: number): string =>
  action < 0 ? t("node_root") : vertex(action, size.value, t("pass"));

const FORMULA_OF: Record<string, FormulaName> = {
  puct: "puct",
  polynomial_puct: "polynomial",
  uct_like_puct: "uctlike",
  ucb1: "ucb1",
};

function Children({ found, onFollow }: { found: NodeTable; onFollow: (action: number) => void }) {
  const rows = [...found.rows].sort((a, b) => b.n - a.n || b.p - a.p).slice(0, 60);
  const visited = found.rows.filter((r) => r.visited);
  const best = Math.max(...visited.map((r) => r.q + r.u));
  const ucb = found.formula === "ucb1";
  return (
    <>
      <p class="figures-line" dir="ltr">
        <span>N(s) = {found.total}</span>
        <span>c = {fixed(found.c, 3)}</span>
        <span>
          V = {signed(found.value, 3)} ({player(found.player)})
        </span>
        <span class="soft">
          {t("urgency")}: {found.urgency === null ? t("unvisited_first") : fixed(found.urgency, 3)}
        </span>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("children_of")}>
        <table class="numbers children">
          <thead>
            <tr>
              <th scope="col">{t("move")}</th>
              <th scope="col">N</th>
              <th scope="col">Q</th>
              {!ucb && <th scope="col">P</th>}
              <th scope="col">U</th>
              <th scope="col">Q + U</th>
              <th scope="col">
                U = {ucb ? "c·√(ln N(s)/N)" : POLICY_TERMS[found.formula]}
              </th>
              <th scope="col">W</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr
                key={r.action}
                class={`${r.visited && r.q + r.u === best ? "best" : ""} ${r.visited ? "" : "faint"}`}
                data-action={r.action}
                data-n={r.n}
                data-u={r.u}
              >
                <th scope="row">
                  <button type="button" class="link" onClick={() => onFollow(r.action)} disabled={!r.visited}>
                    {moveName(r.action)}
                  </button>
                </th>
                <td>{r.n}</td>
                <td>{r.visited ? signed(r.q, 3) : "–"}</td>
                {!ucb && <td>{percent(r.p)}</td>}
                <td>{r.visited || !ucb ? term(r.u) : "∞"}</td>
                <td>
                  <b>{r.visited || !ucb ? signed(r.q + r.u, 3) : "∞"}</b>
                </td>
                <td class="soft" dir="ltr">
                  {terms(found, r.n, r.p)}
                </td>
                <td class="soft">{fixed(r.w, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const POLICY_TERMS: Record<string, string> = {
  puct: "c·P·√N(s)/(1+N)",
  polynomial_puct: "c·P·N(s)^α/(1+N)",
  uct_like_puct: "c·P·√(ln(1+N(s)+base)/(1+N))",
};

/** The exploration term with its numbers in place. */
function terms({ formula, c, total }: NodeTable, n: number, p: number): string {
  const parent = Math.max(1, total);
  const shownC = fixed(c, 2);
  if (formula === "ucb1") return n ? `${shownC}·√(${Math.log(parent).toFixed(2)}/${n})` : "∞";
  const shownP = p.toFixed(3);
  if (formula !== "puct") return `${shownC}·${shownP}·…/${1 + n}`;
  return `${shownC}·${shownP}·${Math.sqrt(parent).toFixed(1)}/${1 + n}`;
}

function find(root: Spot | null, index: number): Spot | null {
  if (!root) return null;
  const waiting = [root];
  while (waiting.length) {
    const spot = waiting.pop()!;
    if (spot.index === index) return spot;
    waiting.push(...spot.children);
  }
  return null;
}

function Live() {
  const most = number("nodes", 200);
  const shown = tree.value?.node === position.value?.node ? tree.value : null;
  const [selected, select] = useState(0);
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set());
  const [fit, setFit] = useState(0);
  useEffect(() => {
    send({ type: "watch", nodes: most });
    return () => {
      send({ type: "watch", nodes: 0 });
    };
  }, [most]);
  useEffect(() => asker.listen(), []);
  useEffect(() => {
    select(0);
    setCollapsed(new Set());
    table.value = null;
  }, [position.value?.node, game.value?.serial]);
  const root = useMemo(() => (shown ? spotsOf(shown.rows) : null), [shown]);
  const spot = find(root, selected) ?? root;
  const way = spot ? wayTo(spot) : [];
  const key = way.join(",");
  useEffect(() => {
    if (shown) asker.ask({ type: "table", path: way });
  }, [shown, key]);
  const here = position.value;
  const toggle = (at: Spot): void => {
    const next = new Set(collapsed);
    if (!next.delete(at.index)) next.add(at.index);
    setCollapsed(next);
  };
  const found = table.value;
  return (
    <>
      <div class="stage">
        <div class="stage-bar">
          <button
            type="button"
            class="main"
            data-action="analyse"
            disabled={here?.over ?? true}
            onClick={() => send({ type: "analyse", on: !analysing.value })}
          >
            {analysing.value ? t("pause") : t("start_search")}
          </button>
          <button type="button" onClick={() => setFit(fit + 1)}>
            {t("fit")}
          </button>
          {spot && spot.children.length > 0 && (
            <button type="button" onClick={() => toggle(spot)}>
              {collapsed.has(spot.index) ? t("expand") : t("collapse")}
            </button>
          )}
          <span class="soft" data-role="tree-size">
            {shown ? t("nodes_of", { n: shown.rows.length, total: shown.total }) : ""}
          </span>
          <span class="key">
            <span class="line accent" /> {t("principal")}
          </span>
        </div>
        {root ? (
          <TreeCanvas
            root={root}
            selected={spot?.index ?? 0}
            collapsed={collapsed}
            fit={fit}
            name={(s) => (s.action < 0 ? "" : moveName(s.action))}
            label={t("tree_label")}
            onSelect={(s) => select(s.index)}
            onToggle={toggle}
          />
        ) : (
          <p class="soft empty">{t("no_tree")}</p>
        )}
        <Slider
          label={t("nodes_shown")}
          name="nodes"
          value={most}
          min={20}
          max={5000}
          step={1}
          logarithmic
          onChange={(nodes) => setValues({ nodes })}
        />
      </div>
      <div class="cards">
        <Card
          title={way.length ? way.map(moveName).join(" ") : t("node_root")}
          aside={
            spot?.parent ? (
              <button type="button" onClick={() => select(spot.parent!.index)}>
                ↑
              </button>
            ) : null
          }
        >
          {here && game.value && (
            <div class="small-board">
              <Board
                size={size.value}
                stones={playOut(here.board, size.value, here.to_play, way)}
                toPlay={here.to_play}
                last={way.length ? (way[way.length - 1] ?? null) : here.last}
                coordinates={false}
                label={t("board")}
              />
            </div>
          )}
        </Card>
        {found && (
          <Card title={t("children_of")}>
            <Children
              found={found}
              onFollow={(action) => {
                const below = spot?.children.find((c) => c.action === action);
                if (below) select(below.index);
              }}
            />
          </Card>
        )}
        <Intro
          text={t("inside_intro")}
          formulas={[FORMULA_OF[found?.formula ?? "puct"] ?? "puct", "backup"]}
          anchor="inside-the-search"
        />
      </div>
    </>
  );
}

export function Inside() {
  const mode = text("mode", "live");
  if (!position.value || !game.value) return <p class="soft loading">…</p>;
  return (
    <div class="panel inside" data-mode={mode} data-engine={game.value.setting.system}>
      <div class="modes">
        <Segments
          label={t("inside")}
          value={mode}
          options={[
            ["live", t("live_tree")],
            ["steps", t("step_mode")],
          ]}
          onChange={(value) => setValues({ mode: value === "live" ? null : value })}
        />
      </div>
      {mode === "steps" ? <Steps /> : <Live />}
    </div>
  );
}
