import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Asker } from "../ask";
import { playOut } from "../board";
import { fixed, percent, signed, term } from "../numbers";
import { Board } from "../parts/Board";
import { Card, Intro } from "../parts/controls";
import { TreeCanvas } from "../parts/TreeCanvas";
import type { Spot } from "../parts/trees";
import { game, position, size } from "../state";
import { player, t, type Key } from "../texts";
import type { ServerEvent, Simulation, StepOfWay } from "../wire";
import { moveName } from "./Inside";

const PHASES = ["selection", "expansion", "evaluation", "backup"] as const;

const simulations = signal<Simulation[]>([]);
/** What the simulations at hand are a search of. */
const searched = signal("");
const ended = signal(false);
/** Where we are: simulation · 4 + phase. */
const place = signal(0);

const asker = new Asker((event: ServerEvent) => {
  if (event.type !== "simulations") return;
  simulations.value = event.fresh
    ? event.simulations
    : [...simulations.value, ...event.simulations];
  ended.value = event.ended;
  if (event.fresh) place.value = 0;
  else if (event.simulations.length > 0) {
    place.value = 4 * (simulations.value.length - event.simulations.length);
    if (event.simulations.length > 1) place.value = 4 * simulations.value.length - 1;
  }
});

const wanted = (): string =>
  JSON.stringify([
    game.value?.serial,
    position.value?.node,
    game.value?.setting.system,
    game.value?.setting.network,
  ]);

function restart(): void {
  searched.value = wanted();
  simulations.value = [];
  place.value = 0;
  asker.ask({ type: "begin_steps" });
}

function more(count: number): void {
  asker.ask({ type: "more_steps", count });
}

/** The tree after so many whole simulations, and with the parts of the next that have happened. */
function treeAt(all: Simulation[], whole: number, phase: number): Spot | null {
  const spots = new Map<number, Spot>();
  const root: Spot = {
    index: 0,
    action: -1,
    n: 0,
    q: 0,
    p: 1,
    player: all[0]?.player ?? 0,
    exact: null,
    parent: null,
    children: [],
  };
  spots.set(0, root);
  let sum = 0;
  const apply = (sim: Simulation, backedUp: boolean): void => {
    sim.way.forEach((step, depth) => {
      const parent = spots.get(step.node_index);
      const below = sim.way[depth + 1]?.node_index ?? sim.leaf_index;
      if (!parent) return;
      let spot = spots.get(below);
      if (!spot) {
        spot = {
          index: below,
          action: step.chosen,
          n: 0,
          q: 0,
          p: step.after.p,
          player: depth + 1 < sim.way.length ? sim.way[depth + 1]!.player : sim.player,
          exact: null,
          parent,
          children: [],
        };
        parent.children.push(spot);
        spots.set(below, spot);
      }
      if (backedUp) {
        spot.n = step.after.n;
        spot.q = step.after.q;
      }
    });
    if (backedUp) {
      root.n++;
      sum += (sim.player < 0 ? 0 : sim.player) === root.player ? sim.value : -sim.value;
      root.q = sum / root.n;
    }
  };
  for (const sim of all.slice(0, whole)) apply(sim, true);
  const now = all[whole];
  if (now && phase >= 1) apply(now, phase >= 3);
  return root;
}

function Selection({ step, depth }: { step: StepOfWay; depth: number }) {
  const edges = [...step.edges].sort((a, b) => b.q + b.u - (a.q + a.u)).slice(0, 8);
  return (
    <div class="way-step" data-depth={depth} data-step-node={step.node_index}>
      <h3>
        {t("depth", { n: depth })}: {player(step.player)}, N(s) ={" "}
        {step.edges.reduce((sum, e) => sum + e.n, 0)}
        <span class="soft"> → {moveName(step.chosen)}</span>
      </h3>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t("move")}</th>
            <th scope="col">N</th>
            <th scope="col">Q</th>
            <th scope="col">U</th>
            <th scope="col">Q + U</th>
          </tr>
        </thead>
        <tbody>
          {edges.map((e) => (
            <tr
              key={e.action}
              class={e.action === step.chosen ? "best" : ""}
              data-edge={e.action}
              data-n={e.n}
              data-q={e.q}
              data-u={e.u}
            >
              <th scope="row">{moveName(e.action)}</th>
              <td>{e.n}</td>
              <td>{signed(e.q, 3)}</td>
              <td>{term(e.u)}</td>
              <td>
                <b>{signed(e.q + e.u, 3)}</b>
              </td>
            </tr>
          ))}
          {step.opened && !edges.some((e) => e.action === step.chosen) && (
            <tr class="best">
              <th scope="row">{moveName(step.chosen)}</th>
              <td>0</td>
              <td colSpan={3} class="soft">
                {t("unvisited")}, {t("urgency")}{" "}
                {step.urgency === null ? t("unvisited_first") : signed(step.urgency, 3)}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function PhaseText({ sim, phase }: { sim: Simulation; phase: number }) {
  const why = t(`leaf_${sim.leaf_kind}` as Key);
  if (phase === 0) {
    return (
      <>
        <p>{sim.way.length ? t("selection_text") : t("selection_none")}</p>
        {sim.way.map((step, depth) => (
          <Selection key={depth} step={step} depth={depth} />
        ))}
      </>
    );
  }
  if (phase === 1) {
    const highest = sim.priors?.[0]?.[1] ?? 1;
    return sim.priors ? (
      <>
        <p>{t("expansion_new")}</p>
        <ul class="prior-list" dir="ltr">
          {sim.priors.slice(0, 10).map(([action, p]) => (
            <li key={action}>
              <span>{moveName(action)}</span>
              <span class="share">
                <span style={{ inlineSize: `${(100 * p) / highest}%` }} />
              </span>
              <span>{percent(p)}</span>
            </li>
          ))}
        </ul>
      </>
    ) : (
      <p>{t("expansion_none", { why })}</p>
    );
  }
  if (phase === 2) {
    return (
      <>
        <p>
          {sim.leaf_kind === "terminal"
            ? t("evaluation_terminal", { v: signed(sim.value, 3) })
            : t("evaluation_text", { v: signed(sim.value, 3), player: player(sim.player) })}
        </p>
        <p class="big-value" data-value={sim.value}>
          v = {signed(sim.value, 3)}
        </p>
      </>
    );
  }
  return (
    <>
      <p>{t("backup_text")}</p>
      <table class="numbers backup">
        <thead>
          <tr>
            <th scope="col">{t("move")}</th>
            <th scope="col">{t("to_move", { player: "" })}</th>
            <th scope="col">N</th>
            <th scope="col">W</th>
            <th scope="col">Q</th>
          </tr>
        </thead>
        <tbody>
          {[...sim.way].reverse().map((step) => {
            const before = step.edges.find((e) => e.action === step.chosen);
            return (
              <tr
                key={step.node_index}
                data-backup={step.chosen}
                data-n={step.after.n}
                data-w={step.after.w}
                data-q={step.after.q}
              >
                <th scope="row">{moveName(step.chosen)}</th>
                <td>{player(step.player)}</td>
                <td>
                  {before?.n ?? 0} → <b>{step.after.n}</b>
                </td>
                <td>
                  {fixed(before?.w ?? 0)} → <b>{fixed(step.after.w)}</b>
                </td>
                <td>
                  {before && before.n ? signed(before.q, 3) : "–"} → <b>{signed(step.after.q, 3)}</b>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

export function Steps() {
  const here = position.value;
  const [selected, select] = useState(0);
  const [fit, setFit] = useState(0);
  useEffect(() => asker.listen(), []);
  useEffect(() => {
    if (here && !here.over && searched.value !== wanted()) restart();
  }, [wanted()]);
  const all = simulations.value;
  const whole = Math.floor(place.value / 4);
  const phase = place.value % 4;
  const sim = all[whole];
  const root = useMemo(() => treeAt(all, whole, phase), [all, whole, phase]);
  const marked = useMemo(
    () =>
      new Set(sim ? [...sim.way.map((s) => s.node_index), ...(phase >= 1 ? [sim.leaf_index] : [])] : []),
    [sim, phase],
  );
  const way = sim?.way.map((s) => s.chosen) ?? [];
  const forward = (): void => {
    if (place.value + 1 < 4 * all.length) place.value++;
    else if (!ended.value) more(1);
  };
  const nextSimulation = (): void => {
    if (whole + 1 < all.length) place.value = 4 * (whole + 1);
    else if (!ended.value) more(1);
  };
  return (
    <>
      <div class="stage">
        <div class="stage-bar steps-bar">
          <button type="button" data-action="simulation-back" disabled={whole === 0} onClick={() => (place.value = 4 * (whole - 1))}>
            ⇤ {t("simulation_back")}
          </button>
          <button type="button" data-action="step-back" disabled={place.value === 0} onClick={() => place.value--}>
            ← {t("step_back")}
          </button>
          <button type="button" class="main" data-action="step-forward" disabled={here?.over} onClick={forward}>
            {t("step_forward")} →
          </button>
          <button type="button" data-action="next-simulation" disabled={here?.over} onClick={nextSimulation}>
            {t("simulation_forward")} ⇥
          </button>
          <button type="button" data-action="ten-forward" disabled={here?.over || ended.value} onClick={() => more(10)}>
            {t("ten_forward")}
          </button>
          <button type="button" onClick={restart}>
            {t("begin_again")}
          </button>
          <button type="button" onClick={() => setFit(fit + 1)}>
            {t("fit")}
          </button>
        </div>
        {root && all.length > 0 ? (
          <TreeCanvas
            root={root}
            selected={selected}
            collapsed={NONE}
            marked={marked}
            fit={fit}
            name={(s) => (s.action < 0 ? "" : moveName(s.action))}
            label={t("tree_label")}
            onSelect={(s) => select(s.index)}
            onToggle={() => undefined}
          />
        ) : (
          <p class="soft empty">{t("no_tree")}</p>
        )}
      </div>
      <div class="cards">
        <Card
          title={t("simulation_n", { n: whole + 1 })}
          aside={
            <span class="soft" data-simulation={whole} data-phase={PHASES[phase]} data-known={all.length}>
              {whole + 1} / {all.length}
            </span>
          }
        >
          <ol class="phases">
            {PHASES.map((name, i) => (
              <li key={name}>
                <button
                  type="button"
                  data-phase-button={name}
                  aria-current={i === phase ? "step" : undefined}
                  onClick={() => (place.value = 4 * whole + i)}
                >
                  {t(`phase_${name}`)}
                </button>
              </li>
            ))}
          </ol>
          {sim && <PhaseText sim={sim} phase={phase} />}
          {ended.value && whole + 1 >= all.length && <p class="soft">{t("steps_ended")}</p>}
        </Card>
        {here && game.value && sim && (
          <Card title={way.length ? way.map(moveName).join(" ") : t("node_root")}>
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
          </Card>
        )}
        <Intro text={t("inside_intro")} formulas={["puct", "backup", "q"]} anchor="step-by-step" />
      </div>
    </>
  );
}

const NONE: ReadonlySet<number> = new Set();
