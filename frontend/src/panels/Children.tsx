/** A node's children with their scores taken apart, term by term. */

import { vertex } from "../board";
import { fixed, percent, signed, term } from "../numbers";
import type { FormulaName } from "../parts/Formula";
import { size } from "../state";
import { player, t } from "../texts";
import type { NodeTable, Score, TableRow, Terms } from "../wire";

export const moveName = (action: number): string =>
  action < 0 ? t("node_root") : vertex(action, size.value, t("pass"));

export const FORMULA_OF: Record<string, FormulaName> = {
  puct: "puct",
  polynomial_puct: "polynomial",
  uct_like_puct: "uctlike",
  ucb1: "ucb1",
  rave: "rave",
  grave: "rave",
  gumbel: "gumbel",
};

type Cell = (row: { n: number; q: number; u: number; p: number; score: Score }) => string;

/** The columns between N and the score. */
export const SCORE_COLUMNS: Record<Terms, [string, Cell][]> = {
  q_u: [
    ["Q", (r) => (r.n ? signed(r.q, 3) : "–")],
    ["U", (r) => (r.score.total === null ? "∞" : term(r.u))],
  ],
  amaf: [
    ["Q", (r) => (r.n ? signed(r.q, 3) : "–")],
    ["Q AMAF", (r) => (r.score.amaf_q === null ? "–" : signed(r.score.amaf_q, 3))],
    ["N AMAF", (r) => String(r.score.amaf_n ?? 0)],
    ["β", (r) => fixed(r.score.beta ?? 0, 3)],
  ],
  gumbel: [
    ["Q", (r) => (r.n ? signed(r.q, 3) : "–")],
    ["g", (r) => signed(r.score.terms[0] ?? 0, 2)],
    ["ln P", (r) => signed(r.score.terms[1] ?? 0, 2)],
    ["σ(q)", (r) => fixed(r.score.terms[2] ?? 0, 2)],
  ],
  improved: [
    ["Q", (r) => (r.n ? signed(r.q, 3) : "–")],
    ["π′(a)", (r) => percent(r.score.terms[0] ?? 0)],
    ["N/(1+ΣN)", (r) => percent(-(r.score.terms[1] ?? 0))],
  ],
};

/** What the score is called. */
export const SUM: Record<Terms, string> = {
  q_u: "Q + U",
  amaf: "(1−β)·Q + β·Q AMAF",
  gumbel: "g + ln P + σ",
  improved: "π′ − N/(1+ΣN)",
};

export const total = (score: Score): string => (score.total === null ? "∞" : signed(score.total, 3));

const POLICY_TERMS: Record<string, string> = {
  puct: "c·P·√N(s)/(1+N)",
  polynomial_puct: "c·P·N(s)^α/(1+N)",
  uct_like_puct: "c·P·√(ln(1+N(s)+base)/(1+N))",
  ucb1: "c·√(ln N(s)/N)",
};

/** The exploration term with its numbers in place. */
function terms({ formula, c, total: visits }: NodeTable, { n, p }: TableRow): string {
  const parent = Math.max(1, visits);
  const shownC = fixed(c, 2);
  if (formula === "ucb1") return n ? `${shownC}·√(${Math.log(parent).toFixed(2)}/${n})` : "∞";
  const shownP = p.toFixed(3);
  if (formula !== "puct") return `${shownC}·${shownP}·…/${1 + n}`;
  return `${shownC}·${shownP}·${Math.sqrt(parent).toFixed(1)}/${1 + n}`;
}

export function Children({
  found,
  onFollow,
}: {
  found: NodeTable;
  onFollow: (action: number) => void;
}) {
  const rows = [...found.rows].sort((a, b) => b.n - a.n || b.p - a.p).slice(0, 60);
  const best = Math.max(...found.rows.map((r) => r.score.total ?? Infinity));
  const first = rows.find((r) => (r.score.total ?? Infinity) === best);
  const guided = found.terms === "q_u" && found.formula !== "ucb1";
  return (
    <>
      <p class="figures-line" dir="ltr">
        <span>N(s) = {found.total}</span>
        <span>
          {found.terms === "q_u" || found.terms === "amaf" ? "c" : "(c_visit + max N)·c_scale"} ={" "}
          {fixed(found.c, 3)}
        </span>
        <span>
          V = {signed(found.value, 3)} ({player(found.player)})
        </span>
        {found.terms === "q_u" && (
          <span class="soft">
            {t("urgency")}: {found.urgency === null ? t("unvisited_first") : fixed(found.urgency, 3)}
          </span>
        )}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("children_of")}>
        <table class="numbers children">
          <thead>
            <tr>
              <th scope="col">{t("move")}</th>
              <th scope="col">N</th>
              {guided && <th scope="col">P</th>}
              {SCORE_COLUMNS[found.terms].map(([name]) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">{SUM[found.terms]}</th>
              {found.terms === "q_u" && <th scope="col">U = {POLICY_TERMS[found.formula]}</th>}
              <th scope="col">W</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr
                key={r.action}
                class={`${r === first ? "best" : ""} ${r.visited ? "" : "faint"}`}
                data-action={r.action}
                data-n={r.n}
                data-u={r.u}
              >
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    onClick={() => onFollow(r.action)}
                    disabled={!r.visited}
                  >
                    {moveName(r.action)}
                  </button>
                </th>
                <td>{r.n}</td>
                {guided && <td>{percent(r.p)}</td>}
                {SCORE_COLUMNS[found.terms].map(([name, cell]) => (
                  <td key={name}>{cell(r)}</td>
                ))}
                <td>
                  <b>{total(r.score)}</b>
                </td>
                {found.terms === "q_u" && (
                  <td class="soft" dir="ltr">
                    {terms(found, r)}
                  </td>
                )}
                <td class="soft">{fixed(r.w, 1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
