import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { setValues, text } from "../address";
import { Asker } from "../ask";
import { playOut } from "../board";
import { fixed, percent, signed } from "../numbers";
import { Board } from "../parts/Board";
import { Card, Intro } from "../parts/controls";
import { TreeCanvas } from "../parts/TreeCanvas";
import type { Spot } from "../parts/trees";
import { game, position, size, welcome } from "../state";
import { player, t, type Key } from "../texts";
import type { ServerEvent, Simulation, StepEdge, StepOfWay } from "../wire";
import { FORMULA_OF, moveName, SCORE_COLUMNS, SUM, total } from "./Children";

/** Simulations that an address may ask for at once. */
const MOST_ON_THE_WAY = 1000;
/** Actions of a node that are shown beside the one taken. */
const MOST_EDGES = 8;
const PHASES = ["selection", "expansion", "evaluation", "backup"] as const;

const simulations = signal<Simulation[]>([]);
/** What the simulations at hand are a search of. */
const searched = signal("");
const ended = signal(false);
/** Where we are: simulation · 4 + phase. */
const place = signal(0);

const asker = new Asker((event: ServerEvent) => {
  if (event.type !== "simulations") return;
  const known = event.fresh ? [] : simulations.value;
  simulations.value = [...known, ...event.simulations];
  ended.value = event.ended;
  const wanted = placeWanted();
  if (wanted !== null) {
    if (!goTowards(wanted)) return;
  } else if (event.fresh) show(0);
  else if (event.simulations.length === 1) show(4 * known.length);
  else if (event.simulations.length > 1) show(4 * simulations.value.length - 1);
});

/** Where the address wants to be, `12.backup`; until a person goes elsewhere. */
let onTheWay = true;
function placeWanted(): number | null {
  if (!onTheWay) return null;
  const [number, phase] = text("at", "").split(".");
  const whole = Math.floor(Number(number)) - 1;
  const found = PHASES.findIndex((name) => name === phase);
  return whole >= 0 && whole < MOST_ON_THE_WAY ? 4 * whole + Math.max(0, found) : null;
}

/** Whether the place is there; else more simulations are on their way. */
function goTowards(wanted: number): boolean {
  const missing = Math.floor(wanted / 4) + 1 - simulations.value.length;
  if (missing > 0 && !ended.value) {
    more(Math.min(100, missing));
    return false;
  }
  show(Math.min(wanted, 4 * simulations.value.length - 1));
  return true;
}

function show(next: number): void {
  place.value = next;
  setValues({ at: next === 0 ? null : `${Math.floor(next / 4) + 1}.${PHASES[next % 4]}` });
}

/** What a person asks for. */
function go(act: () => void): void {
  onTheWay = false;
  act();
}

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
  asker.askAnew({ type: "begin_steps" });
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

const scoreOf = (edge: StepEdge): number => edge.score?.total ?? Infinity;

function Selection({ step, depth }: { step: StepOfWay; depth: number }) {
  const edges = [...step.edges].sort((a, b) => scoreOf(b) - scoreOf(a));
  const chosen = edges.findIndex((e) => e.action === step.chosen);
  // Gumbel's root keeps to its plan, so that what it takes may stand further down.
  const shown = edges.filter((_, i) => i < MOST_EDGES || i === chosen);
  return (
    <div class="way-step" data-depth={depth} data-step-node={step.node_index}>
      <h3>
        {t("depth", { n: depth })}: {player(step.player)}, N(s) ={" "}
        {step.edges.reduce((sum, e) => sum + e.n, 0)}
        <span class="soft"> → {moveName(step.chosen)}</span>
      </h3>
      <div class="scroll">
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">{t("move")}</th>
              <th scope="col">N</th>
              {SCORE_COLUMNS[step.terms].map(([name]) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">{SUM[step.terms]}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((e) => (
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
                {SCORE_COLUMNS[step.terms].map(([name, cell]) => (
                  <td key={name}>{e.score ? cell({ ...e, score: e.score }) : ""}</td>
                ))}
                <td>
                  <b>{e.score ? total(e.score) : ""}</b>
                </td>
              </tr>
            ))}
            {step.opened && chosen < 0 && (
              <tr class="best">
                <th scope="row">{moveName(step.chosen)}</th>
                <td>0</td>
                <td colSpan={1 + SCORE_COLUMNS[step.terms].length} class="soft">
                  {t("unvisited")}, {t("urgency")}{" "}
                  {step.urgency === null ? t("unvisited_first") : signed(step.urgency, 3)}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function PhaseText({ sim, phase }: { sim: Simulation; phase: number }) {
  const why = t(`leaf_${sim.leaf_kind}` as Key);
  if (phase === 0) {
    return (
      <>
        <p>
          {sim.way.length === 0
            ? t("selection_none")
            : t("selection_text", { score: SUM[sim.way[sim.way.length - 1]!.terms] })}
          {sim.way[0]?.terms === "gumbel" && ` ${t("selection_halving")}`}
        </p>
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
  // Another search is begun after this rendering: nothing of the last one is shown as its own.
  const current = searched.value === wanted();
  const all = current ? simulations.value : NONE_YET;
  const whole = current ? Math.floor(place.value / 4) : 0;
  const phase = current ? place.value % 4 : 0;
  const sim = all[whole];
  const root = useMemo(() => treeAt(all, whole, phase), [all, whole, phase]);
  const marked = useMemo(
    () =>
      new Set(sim ? [...sim.way.map((s) => s.node_index), ...(phase >= 1 ? [sim.leaf_index] : [])] : []),
    [sim, phase],
  );
  const way = sim?.way.map((s) => s.chosen) ?? [];
  const engine = game.value?.setting.system;
  const formula = welcome.value?.systems.find((each) => each.name === engine)?.formula;
  const forward = (): void => {
    if (place.value + 1 < 4 * all.length) show(place.value + 1);
    else if (!ended.value) more(1);
  };
  const nextSimulation = (): void => {
    if (whole + 1 < all.length) show(4 * (whole + 1));
    else if (!ended.value) more(1);
  };
  return (
    <>
      <div class="stage">
        <div class="stage-bar steps-bar">
          <button type="button" data-action="simulation-back" disabled={whole === 0} onClick={() => go(() => show(4 * (whole - 1)))}>
            ⇤ {t("simulation_back")}
          </button>
          <button type="button" data-action="step-back" disabled={place.value === 0} onClick={() => go(() => show(place.value - 1))}>
            ← {t("step_back")}
          </button>
          <button type="button" class="main" data-action="step-forward" disabled={here?.over} onClick={() => go(forward)}>
            {t("step_forward")} →
          </button>
          <button type="button" data-action="next-simulation" disabled={here?.over} onClick={() => go(nextSimulation)}>
            {t("simulation_forward")} ⇥
          </button>
          <button type="button" data-action="ten-forward" disabled={here?.over || ended.value} onClick={() => go(() => more(10))}>
            {t("ten_forward")}
          </button>
          <button type="button" onClick={() => go(restart)}>
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
                  onClick={() => go(() => show(4 * whole + i))}
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
        <Intro
          text={t("inside_intro")}
          formulas={[FORMULA_OF[formula ?? "puct"] ?? "puct", "backup", "q"]}
          anchor="step-by-step"
        />
      </div>
    </>
  );
}

const NONE: ReadonlySet<number> = new Set();
const NONE_YET: Simulation[] = [];
