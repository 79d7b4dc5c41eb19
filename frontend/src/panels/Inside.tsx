import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { number, setValues, text } from "../address";
import { Asker } from "../ask";
import { decodeMoves, encodeMoves, playOut } from "../board";
import { Board } from "../parts/Board";
import { Card, Intro, Segments, Slider } from "../parts/controls";
import { TreeCanvas } from "../parts/TreeCanvas";
import { spotsOf, wayTo, type Spot } from "../parts/trees";
import { analysing, game, position, send, size, tree, welcome } from "../state";
import { systemName, t } from "../texts";
import type { NodeTable, ServerEvent } from "../wire";
import { Children, FORMULA_OF, moveName } from "./Children";
import { Steps } from "./Steps";

const table = signal<NodeTable | null>(null);
const asker = new Asker((event: ServerEvent) => {
  if (event.type === "node_table") table.value = event;
});

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

function spotAt(root: Spot, way: number[]): Spot | null {
  let spot: Spot | undefined = root;
  for (const action of way) spot = spot?.children.find((each) => each.action === action);
  return spot ?? null;
}

function Live() {
  const most = number("nodes", 100);
  const shown = tree.value?.node === position.value?.node ? tree.value : null;
  const [selected, select] = useState(0);
  const choose = (spot: Spot | null): void => {
    select(spot?.index ?? 0);
    setValues({ way: (spot && encodeMoves(wayTo(spot), size.value)) || null });
  };
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set());
  const [fit, setFit] = useState(0);
  useEffect(() => {
    send({ type: "watch", nodes: most });
    return () => {
      send({ type: "watch", nodes: 0 });
    };
  }, [most]);
  useEffect(() => asker.listen(), []);
  const place = `${game.value?.serial}:${position.value?.node}`;
  const placed = useRef(place);
  useEffect(() => {
    if (placed.current === place) return;
    placed.current = place;
    choose(null);
    setCollapsed(new Set());
    table.value = null;
  }, [place]);
  const root = useMemo(() => (shown ? spotsOf(shown.rows) : null), [shown]);
  useEffect(() => {
    // The node that the address names is chosen as soon as the tree has it.
    const named = root && spotAt(root, decodeMoves(text("way", ""), size.value));
    if (named) select(named.index);
  }, [root]);
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
            onSelect={choose}
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
              <button type="button" onClick={() => choose(spot.parent)}>
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
                if (below) choose(below);
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

const looksInside = (): boolean =>
  welcome.value?.systems.find((s) => s.name === game.value?.setting.system)?.grows_tree ?? true;

/** The engine chosen has nothing to look into: another can be chosen here. */
function NoTree() {
  const setting = game.value!.setting;
  const systems = welcome.value!.systems.filter(
    (s) => s.grows_tree && !(s.needs_network && setting.network === "playouts"),
  );
  return (
    <div class="empty no-tree">
      <p>{t("no_tree_here", { system: systemName(setting.system) })}</p>
      <p class="buttons">
        {systems.slice(0, 6).map((s) => (
          <button
            key={s.name}
            type="button"
            onClick={() => send({ type: "configure", system: s.name })}
          >
            {systemName(s.name)}
          </button>
        ))}
      </p>
    </div>
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
      {!looksInside() ? <NoTree /> : mode === "steps" ? <Steps /> : <Live />}
    </div>
  );
}
