import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { address, number, setValues, text } from "../address";
import { Asker } from "../ask";
import { vertex } from "../board";
import { fixed, percent, short, term } from "../numbers";
import { Card, Choice, Intro, Segments, Slider } from "../parts/controls";
import { Curve } from "../parts/Curve";
import { game, notice, position, size } from "../state";
import { t, type Key } from "../texts";
import { cycle } from "../tokens";
import type { Explored, ServerEvent } from "../wire";
import { CHOICES, type FormulaKey } from "./formulas";

interface Action {
  prior: number;
  value: number;
}

const EXAMPLE: Action[] = [
  { prior: 0.3, value: 0.05 },
  { prior: 0.25, value: 0.2 },
  { prior: 0.2, value: 0.1 },
  { prior: 0.1, value: 0.3 },
  { prior: 0.1, value: -0.1 },
  { prior: 0.05, value: 0.25 },
];
const CURVE = [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 400];
const COLUMNS = [0, 1, 5, 10, 50, 100, 400];
const FPU = [
  "constant",
  "parent",
  "parent_minus_constant",
  "parent_minus_visited_policy",
  "unvisited_first",
] as const;

const explored = signal<Explored | null>(null);
const asker = new Asker((event: ServerEvent) => {
  if (event.type === "explored") explored.value = event;
});

/** Priors and values in the address: `30:5,25:20,…`, in hundredths. */
const encode = (actions: Action[]): string =>
  actions.map((a) => `${+(100 * a.prior).toFixed(2)}:${+(100 * a.value).toFixed(2)}`).join(",");

function actionsOf(): Action[] {
  const given = address.value.values.get("a");
  if (given === null) return EXAMPLE;
  const found = given
    .split(",")
    .map((pair) => pair.split(":").map((n) => Number(n) / 100))
    .filter((pair) => pair.length === 2 && pair.every(Number.isFinite))
    .map(([prior, value]) => ({
      prior: Math.min(1, Math.max(0, prior ?? 0)),
      value: Math.min(1, Math.max(-1, value ?? 0)),
    }));
  return found.length >= 2 ? found.slice(0, 12) : EXAMPLE;
}

function request(): Parameters<Asker["ask"]>[0] {
  const key = formulaKey();
  const choice = CHOICES[key];
  const rule = text("fpu", "constant");
  const more = {
    alpha: number("alpha", 0.5),
    fpu: { rule, amount: number("amount", 0) },
  };
  const epsilon = number("eps", 0);
  return {
    type: "explore",
    selection: choice.selection(number("c", choice.c), more),
    noise:
      epsilon > 0 && choice.guided ? { weight: epsilon, concentration: number("conc", 10.83) } : null,
    actions: text("from", "made_up") === "made_up" ? actionsOf() : [],
    visits: number("n", 100),
    curve_visits: CURVE,
    seed: number("seed", 0),
  };
}

function formulaKey(): FormulaKey {
  const key = text("f", "puct");
  return key in CHOICES ? (key as FormulaKey) : "puct";
}

/** Q and U stacked, from zero; a negative Q is taken off what U adds. */
function Bars({ found }: { found: Explored }) {
  const rows = found.actions;
  const scores = rows.map((a) => a.q + a.u);
  const best = Math.max(...scores);
  const low = Math.min(0, ...rows.map((a) => a.q));
  const high = Math.max(...scores, ...rows.map((a) => a.q), 0.001);
  const at = (v: number): number => (100 * (v - low)) / (high - low);
  return (
    <div class="bars" role="list" aria-label={t("scores_now", { n: found.total })}>
      {rows.map((a, i) => (
        <div
          key={a.action}
          class={`bar-row ${scores[i] === best ? "best" : ""}`}
          role="listitem"
          data-action={a.action}
          data-prior={a.prior}
          data-n={a.n}
          data-q={a.q}
          data-u={a.u}
        >
          <span class="name">
            {found.made_up ? `a${sub(a.action + 1)}` : vertex(a.action, size.value, t("pass"))}
            <small>P {percent(a.prior, a.prior < 0.1 ? 1 : 0)}</small>
          </span>
          <span class="track" dir="ltr">
            <span
              class={`q ${a.q < 0 ? "minus" : ""}`}
              style={{
                left: `${at(Math.min(0, a.q))}%`,
                width: `${at(Math.abs(a.q)) - at(0)}%`,
              }}
            />
            <span
              class="u"
              style={{ left: `${at(a.q)}%`, width: `${Math.max(0, at(a.q + a.u) - at(a.q))}%` }}
            />
            <span class="zero" style={{ left: `${at(0)}%` }} />
          </span>
          <span class="sum" dir="ltr">
            <b>{term(a.q + a.u)}</b>
            <small>
              {fixed(a.q)} + {term(a.u)}
            </small>
          </span>
          <span class="n">
            N {short(a.n)}
            {scores[i] === best && <em>{t("next_choice")}</em>}
          </span>
        </div>
      ))}
      <p class="key">
        <span class="swatch q" /> Q <span class="swatch u" /> U <span class="soft">c(N) = {fixed(found.c, 3)}</span>
        {found.urgency !== null && (
          <span class="soft">
            {t("urgency")} {fixed(found.urgency)}
          </span>
        )}
      </p>
    </div>
  );
}

const sub = (n: number): string =>
  [...String(n)].map((d) => String.fromCharCode(0x2080 + Number(d))).join("");

function Milestones({ found }: { found: Explored }) {
  const shown = found.actions.map((a) => a.action);
  return (
    <div class="milestones">
      {found.milestones.map((m) => {
        const most = Math.max(1, ...shown.map((a) => m.visits[a] ?? 0));
        return (
          <div key={m.simulations} data-milestone={m.simulations}>
            <h3>{t("after_n", { n: m.simulations })}</h3>
            <div class="columns" dir="ltr">
              {shown.map((a) => {
                const n = m.visits[a] ?? 0;
                return (
                  <div key={a} data-visits={n} title={`${n}`}>
                    <span class="count">{short(n)}</span>
                    <span class="column" style={{ height: `${(80 * n) / most}px` }} />
                    <span class="foot">
                      {found.made_up ? `a${sub(a + 1)}` : vertex(a, size.value, t("pass"))}
                    </span>
                  </div>
                );
              })}
            </div>
          </div>
        );
      })}
      {!found.finished && <p class="soft">{t("computing")}</p>}
    </div>
  );
}

function UTable({ found }: { found: Explored }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("u_table")}>
      <table class="numbers u-table">
        <thead>
          <tr>
            <th scope="col">P</th>
            {COLUMNS.map((n) => (
              <th key={n} scope="col">
                N(s,a) = {n}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.curves.map((row) => (
            <tr key={row.action} data-u-of={row.prior}>
              <th scope="row">{fixed(row.prior, 3)}</th>
              {COLUMNS.map((n) => (
                <td key={n} data-at={n}>
                  {term(row.u[CURVE.indexOf(n)] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Actions() {
  const actions = actionsOf();
  const set = (next: Action[]): void => setValues({ a: encode(next) });
  const change = (place: number, change: Partial<Action>): void =>
    set(actions.map((a, i) => (i === place ? { ...a, ...change } : a)));
  return (
    <Card
      title={t("actions")}
      aside={
        <button
          type="button"
          disabled={actions.length >= 12}
          onClick={() => set([...actions, { prior: 0.05, value: 0 }])}
        >
          {t("add_action")}
        </button>
      }
    >
      <table class="numbers editor">
        <thead>
          <tr>
            <th scope="col">a</th>
            <th scope="col">{t("p_value")}</th>
            <th scope="col">{t("q_value")}</th>
            <th scope="col">
              <span class="hidden">{t("remove")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {actions.map((a, place) => (
            <tr key={place}>
              <th scope="row">a{sub(place + 1)}</th>
              <td>
                <input
                  type="number"
                  min={0}
                  max={1}
                  step={0.01}
                  aria-label={`${t("p_value")} a${place + 1}`}
                  value={+a.prior.toFixed(4)}
                  onChange={(e) => change(place, { prior: e.currentTarget.valueAsNumber || 0 })}
                />
              </td>
              <td>
                <input
                  type="number"
                  min={-1}
                  max={1}
                  step={0.05}
                  aria-label={`${t("q_value")} a${place + 1}`}
                  value={+a.value.toFixed(4)}
                  onChange={(e) => change(place, { value: e.currentTarget.valueAsNumber || 0 })}
                />
              </td>
              <td>
                <button
                  type="button"
                  class="quiet"
                  disabled={actions.length <= 2}
                  aria-label={`${t("remove")} a${place + 1}`}
                  onClick={() => set(actions.filter((_, i) => i !== place))}
                >
                  ×
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

export function Explorer() {
  useEffect(() => asker.listen(), []);
  const query = address.value.values.toString();
  const ready = position.value !== null && game.value !== null;
  const madeUp = text("from", "made_up") === "made_up";
  const shownNode = madeUp ? null : position.value?.node;
  useEffect(() => {
    if (ready) asker.askSoon(request());
  }, [query, ready, shownNode, notice.value === null]);
  const key = formulaKey();
  const choice = CHOICES[key];
  const found = explored.value;
  const visits = number("n", 100);
  return (
    <div class="panel explorer">
      <div class="knobs">
        <Card title={t("formula")} class="second">
          <Choice
            label={t("formula")}
            name="formula"
            value={key}
            options={(Object.keys(CHOICES) as FormulaKey[]).map((k) => [k, t(CHOICES[k].text)])}
            onChange={(f) => setValues({ f, c: null })}
          />
          <Slider
            label={choice.guided ? t("c_puct") : "c"}
            name="c"
            value={number("c", choice.c)}
            min={0}
            max={5}
            step={0.05}
            onChange={(c) => setValues({ c })}
          />
          <Slider
            label={t("n_s")}
            name="n"
            value={visits}
            min={1}
            max={2000}
            step={1}
            logarithmic
            onChange={(n) => setValues({ n })}
          />
          {key === "polynomial" && (
            <Slider
              label={t("alpha")}
              value={number("alpha", 0.5)}
              min={0.05}
              max={1}
              step={0.05}
              onChange={(alpha) => setValues({ alpha })}
            />
          )}
          {choice.guided && (
            <>
              <Choice
                label={t("fpu")}
                name="fpu"
                value={text("fpu", "constant")}
                options={FPU.map((rule) => [rule, t(`fpu_${rule}` as Key)])}
                onChange={(fpu) => setValues({ fpu })}
              />
              <Slider
                label={t("fpu_amount")}
                value={number("amount", 0)}
                min={-1}
                max={1}
                step={0.05}
                onChange={(amount) => setValues({ amount })}
              />
              <Slider
                label={t("noise")}
                name="noise"
                value={number("eps", 0)}
                min={0}
                max={1}
                step={0.05}
                onChange={(eps) => setValues({ eps })}
              />
              {number("eps", 0) > 0 && (
                <>
                  <Slider
                    label={t("noise_alpha")}
                    value={number("conc", 10.83)}
                    min={0.1}
                    max={40}
                    step={0.1}
                    onChange={(conc) => setValues({ conc })}
                  />
                  <Slider
                    label={t("seed")}
                    value={number("seed", 0)}
                    min={0}
                    max={50}
                    step={1}
                    onChange={(seed) => setValues({ seed })}
                  />
                </>
              )}
            </>
          )}
          <Segments
            label={t("source")}
            value={madeUp ? "made_up" : "board"}
            options={[
              ["made_up", t("made_up")],
              ["board", t("on_board")],
            ]}
            onChange={(from) => setValues({ from: from === "made_up" ? null : from })}
          />
        </Card>
        {madeUp && <Actions />}
        <Intro
          text={t("explorer_intro")}
          formulas={[choice.formula, "q"]}
          anchor="puct-explorer"
        />
      </div>
      <div class="views">
        {found === null ? (
          <p class="soft loading">{t("computing")}</p>
        ) : (
          <>
            <Card title={t("scores_now", { n: found.total })} class="first">
              <Bars found={found} />
            </Card>
            <Card title={t("visits_after")}>
              <Milestones found={found} />
            </Card>
            <Card title={t("curves", { n: visits })}>
              <Curve
                x={CURVE.map((n) => n + 1)}
                lines={found.curves.slice(0, 6).map((row, i) => ({
                  label: `P = ${fixed(row.prior, 2)}`,
                  values: row.u,
                  colour: cycle(i),
                }))}
                logarithmic
                legend
                height={220}
                label={t("curves", { n: visits })}
                format={(v) => term(v)}
              />
              <UTable found={found} />
            </Card>
          </>
        )}
      </div>
    </div>
  );
}
