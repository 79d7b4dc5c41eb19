/** What the explorer has found: scores as bars, visits as columns, curves and their figures. */

import { vertex } from "../board";
import { fixed, percent, short, term } from "../numbers";
import { Curve } from "../parts/Curve";
import { size } from "../state";
import { t } from "../texts";
import { cycle } from "../tokens";
import type { CurveRow, Explored, ExploredAction, Terms } from "../wire";

const sub = (n: number): string =>
  [...String(n)].map((d) => String.fromCharCode(0x2080 + Number(d))).join("");

/** a₁, or the move where the node is a position of the game. */
export const actionName = (action: number, madeUp: boolean): string =>
  madeUp ? `a${sub(action + 1)}` : vertex(action, size.value, t("pass"));

/** Each term's name, and the class that gives its colour. */
const TERMS: Record<Terms, [string, string][]> = {
  q_u: [["Q", "q"], ["U", "u"]],
  amaf: [["(1 − β) Q", "q"], ["β Q AMAF", "amaf"], ["U", "u"]],
  gumbel: [["σ(q)", "q"], ["ln P", "amaf"], ["g", "u"]],
  improved: [["π′", "q"], ["−N/(1+N(s))", "u"]],
};

/** The terms as they are drawn: σ goes first, as Q does, and from the smallest one on. */
function drawn(found: Explored): number[][] {
  if (found.terms !== "gumbel") return found.actions.map((a) => a.score.terms);
  const least = Math.min(...found.actions.map((a) => a.score.terms[2] ?? 0));
  return found.actions.map(({ score: { terms: [g = 0, p = 0, sigma = 0] } }) => [
    sigma - least,
    p,
    g,
  ]);
}

const written = (found: Explored, a: ExploredAction): number[] =>
  found.terms === "gumbel" ? [...a.score.terms].reverse() : a.score.terms;

/** A term with its sign before it, as in a sum. */
const summand = (x: number, first: boolean): string =>
  first ? term(x) : `${x < 0 ? "−" : "+"} ${term(Math.abs(x))}`;

/** The terms stacked from zero: what adds to the right, what takes away to the left, hatched. */
export function Bars({ found }: { found: Explored }) {
  const parts = drawn(found);
  const names = TERMS[found.terms];
  const shown = names.map((_, i) => i < 2 || parts.some((row) => Math.abs(row[i] ?? 0) > 1e-9));
  const reach = (sign: 1 | -1): number =>
    Math.max(
      ...parts.map((row) => row.reduce((sum, x) => sum + Math.max(0, sign * x), 0)),
      sign > 0 ? 0.001 : 0,
    );
  const [low, high] = [-reach(-1), reach(1)];
  const at = (v: number): number => (100 * (v - low)) / (high - low);
  const chosen = found.terms === "gumbel" ? t("chosen_choice") : t("next_choice");
  return (
    <>
      <div class="bars" role="list" aria-label={t("scores_now", { n: found.total })}>
        {found.actions.map((a, i) => {
          const row = parts[i] ?? [];
          let [left, right] = [0, 0];
          return (
            <div
              key={a.action}
              class={`bar-row ${a.action === found.chosen ? "best" : ""}`}
              role="listitem"
              data-action={a.action}
              data-prior={a.prior}
              data-n={a.n}
              data-q={a.q}
              data-u={a.u}
              data-score={a.score.total}
            >
              <span class="name" dir="ltr">
                {actionName(a.action, found.made_up)}
                {found.terms !== "amaf" && (
                  <small>P {percent(a.prior, a.prior < 0.1 ? 1 : 0)}</small>
                )}
                {a.score.beta !== null && <small>β {fixed(a.score.beta)}</small>}
              </span>
              <span class="track" dir="ltr">
                {row.map((x, part) => {
                  const from = x < 0 ? (left += x) : right;
                  if (x >= 0) right += x;
                  return (
                    <span
                      key={part}
                      class={`${names[part]?.[1]} ${x < 0 ? "minus" : ""}`}
                      style={{ left: `${at(from)}%`, width: `${at(Math.abs(x)) - at(0)}%` }}
                    />
                  );
                })}
                <span class="zero" style={{ left: `${at(0)}%` }} />
                {left < 0 && a.score.total !== null && (
                  <span class="total" style={{ left: `${at(left + right)}%` }} />
                )}
              </span>
              <span class="sum" dir="ltr">
                {a.score.total === null ? (
                  <small>{t("before_all")}</small>
                ) : (
                  <>
                    <b>{term(a.score.total)}</b>
                    <small>
                      {written(found, a)
                        .filter((_, part) => shown[part])
                        .map((x, part) => summand(x, part === 0))
                        .join(" ")}
                    </small>
                  </>
                )}
              </span>
              <span class="n">
                N {short(a.n)}
                {a.action === found.chosen && <em>{chosen}</em>}
              </span>
            </div>
          );
        })}
      </div>
      <p class="key bars-key">
        {names.map(([name, look], part) =>
          shown[part] ? (
            <span key={name}>
              <span class={`swatch ${look}`} /> <bdi dir="ltr">{name}</bdi>
            </span>
          ) : null,
        )}
        <Constants found={found} />
      </p>
      {found.terms === "gumbel" && <p class="soft note">{t("sigma_note")}</p>}
    </>
  );
}

function Constants({ found }: { found: Explored }) {
  if (found.terms === "gumbel") return <bdi dir="ltr">(c_visit + max N) · c_scale = {fixed(found.c, 1)}</bdi>;
  if (found.terms === "amaf") {
    const visits = Math.max(...found.actions.map((a) => a.score.amaf_n ?? 0));
    return <bdi dir="ltr">N AMAF = {short(visits)}</bdi>;
  }
  return (
    <>
      <bdi dir="ltr">c(N) = {fixed(found.c, 3)}</bdi>
      {found.urgency !== null && (
        <span>
          {t("urgency")} {fixed(found.urgency)}
        </span>
      )}
    </>
  );
}

export function Milestones({ found }: { found: Explored }) {
  const shown = found.actions.map((a) => a.action);
  return (
    <div class="milestones">
      {found.milestones.map((m) => {
        const most = Math.max(1, ...shown.map((a) => m.visits[a] ?? 0));
        return (
          <div key={m.simulations} data-milestone={m.simulations}>
            <h3>{t("after_n", { n: m.simulations.toLocaleString("en") })}</h3>
            <div class="columns" dir="ltr">
              {shown.map((a) => {
                const n = m.visits[a] ?? 0;
                return (
                  <div key={a} data-visits={n} title={`${actionName(a, found.made_up)}: ${n}`}>
                    <span class="count">{short(n)}</span>
                    <span class="column" style={{ height: `${(80 * n) / most}px` }} />
                    <span class="foot">{actionName(a, found.made_up)}</span>
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

export function Halving({ found }: { found: Explored }) {
  return (
    <div class="scroll">
      <table class="numbers halving">
        <thead>
          <tr>
            <th scope="col">{t("round")}</th>
            <th scope="col">{t("actions")}</th>
            <th scope="col">{t("visits_each")}</th>
          </tr>
        </thead>
        <tbody>
          {found.halving.map((round, i) => (
            <tr key={i} data-round={i + 1}>
              <th scope="row">{i + 1}</th>
              <td>{round.actions}</td>
              <td>+ {round.visits}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const WITH_PRIORS = [0, 1, 5, 10, 50, 100, 400];
const MORE = [2, 3, 7, 15, 20, 30, 70, 150, 200, 300];
const OF_BETA = [1, 10, 100, 1000, 10_000];
const MORE_OF_BETA = [2, 5, 20, 50, 200, 500, 2000, 5000];

/** Where the curves are read; for β also at the visits `k` at which both values weigh alike. */
export const placesFor = (terms: Terms, k: number | null): number[] => {
  const known =
    terms === "amaf"
      ? [...OF_BETA, ...MORE_OF_BETA, ...(k === null ? [] : [k])]
      : [...WITH_PRIORS, ...MORE];
  return [...new Set(known)].sort((a, b) => a - b);
};

/** Which of them the table shows. */
const columnsOf = (found: Explored): number[] => {
  if (found.terms !== "amaf") return WITH_PRIORS;
  return found.curve_visits.filter((n) => OF_BETA.includes(n) || !MORE_OF_BETA.includes(n));
};

const small = (x: number): string =>
  x >= 0.01 ? String(Number(x.toPrecision(3))) : x.toExponential(0).replace("e-", "·10⁻");

/** 1·10⁻⁵ with its exponent raised. */
const raised = (text: string): string =>
  text.replace(/⁻(\d+)/, (_, digits: string) => "⁻" + [...digits].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[+d]).join(""));

function rowName(found: Explored, row: CurveRow, letter: string): string {
  if (row.parameter !== null) return `${letter} = ${raised(small(row.parameter))}`;
  if (found.terms === "gumbel") return actionName(row.action ?? 0, found.made_up);
  return `P = ${fixed(row.prior ?? 0, (row.prior ?? 0) < 0.01 ? 3 : 2)}`;
}

/** `letter` is the name of the parameter where the curves differ by one. */
export function Curves({ found, letter }: { found: Explored; letter: string }) {
  const title =
    found.terms === "amaf"
      ? t("beta_curves")
      : found.terms === "gumbel"
        ? t("policy_curves")
        : t("curves", { n: found.total });
  const format = found.terms === "gumbel" ? (v: number) => percent(v, 0) : (v: number) => term(v);
  const shownValue = (v: number | null | undefined): string => (v == null ? "∞" : format(v));
  const above = found.terms === "amaf" ? "N(s)" : found.terms === "gumbel" ? "max N" : "N(s,a)";
  const shift = found.curve_visits[0] === 0 ? 1 : 0;
  return (
    <>
      <Curve
        x={found.curve_visits.map((n) => n + shift)}
        lines={found.curves.slice(0, 6).map((row, i) => ({
          label: rowName(found, row, letter),
          values: row.values,
          colour: cycle(i),
        }))}
        logarithmic
        {...(found.terms === "q_u" ? {} : { range: [0, 1] as [number, number] })}
        legend
        height={220}
        label={title}
        format={format}
        under={shift ? `1 + ${above}` : above}
      />
      <div class="scroll" tabIndex={0} role="region" aria-label={t("u_table")}>
        <table class="numbers u-table">
          <thead>
            <tr>
              <th scope="col">
                <bdi dir="ltr">{above} =</bdi>
              </th>
              {columnsOf(found).map((n) => (
                <th key={n} scope="col">
                  {n}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.curves.map((row, i) => (
              <tr key={i} data-u-of={row.prior ?? row.parameter}>
                <th scope="row">
                  <bdi dir="ltr">{rowName(found, row, letter)}</bdi>
                </th>
                {columnsOf(found).map((n) => (
                  <td key={n} data-at={n}>
                    {shownValue(row.values[found.curve_visits.indexOf(n)])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
