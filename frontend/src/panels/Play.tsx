import { signal } from "@preact/signals";
import { Board } from "../parts/Board";
import { Card, Intro, Segments } from "../parts/controls";
import { setValues, text } from "../address";
import { percent, short, signed } from "../numbers";
import {
  analysing,
  counted,
  game,
  judgements,
  position,
  send,
  shownReport,
  size,
  working,
} from "../state";
import { player, t, visitsText } from "../texts";
import type { Candidate } from "../wire";
import { vertex } from "../board";
import { Players } from "./Players";
import { EngineSettings, NewGame, RecordTools } from "./Settings";
import { GameGraph, Mistakes, Variations } from "./Story";
import { goForward, goToEnd, goToStart, goUp } from "./walking";

type Overlay = "candidates" | "prior" | "ownership" | "none";
const overlay = (): Overlay => text("show", "candidates") as Overlay;
const counting = signal(false);

function Transport() {
  const here = position.value;
  const thinking = working.value.work === "think";
  return (
    <div class="transport" dir="ltr">
      <button type="button" onClick={goToStart} aria-label={t("first")} title={t("first")}>
        ⇤
      </button>
      <button type="button" onClick={goUp} aria-label={t("undo")} title={t("undo")}>
        ←
      </button>
      <button type="button" onClick={goForward} aria-label={t("redo")} title={t("redo")}>
        →
      </button>
      <button type="button" onClick={goToEnd} aria-label={t("last")} title={t("last")}>
        ⇥
      </button>
      <span class="gap" />
      <button
        type="button"
        class="main"
        data-action="analyse"
        aria-pressed={analysing.value}
        onClick={() => send({ type: "analyse", on: !analysing.value })}
      >
        {analysing.value ? t("pause") : t("analyse")}
      </button>
      <button
        type="button"
        data-action="think"
        disabled={here?.over}
        onClick={() => send(thinking ? { type: "cancel" } : { type: "think" })}
      >
        {thinking ? t("cancel") : t("engine_move")}
      </button>
      <button
        type="button"
        data-action="pass"
        disabled={here?.over}
        onClick={() => send({ type: "play", action: size.value.width * size.value.height })}
      >
        {t("pass")}
      </button>
      <button
        type="button"
        data-action="resign"
        disabled={here?.over}
        onClick={() => send({ type: "resign" })}
      >
        {t("resign")}
      </button>
      <button
        type="button"
        data-action="count"
        onClick={() => {
          counting.value = !counting.value;
          if (counting.value) send({ type: "count" });
        }}
        aria-pressed={counting.value}
      >
        {t("count")}
      </button>
    </div>
  );
}

function Status() {
  const here = position.value;
  if (!here) return null;
  const state = here.over
    ? t("game_over", { result: here.outcome ?? "" })
    : working.value.work === "think"
      ? `${t("to_move", { player: player(here.to_play) })}, ${t("thinking")}`
      : t("to_move", { player: player(here.to_play) });
  return (
    <p class="status" role="status" data-node={here.node} data-over={here.over}>
      <span data-role="state">{state}</span>
      <span class="soft">{t("move_number", { n: here.move_number })}</span>
    </p>
  );
}

/** Black's winrate and lead as a bar. */
function Balance() {
  const now = shownReport.value;
  const known = position.value ? judgements.value[position.value.node] : undefined;
  const winrate = now?.black_winrate ?? known?.black_winrate;
  const lead = now?.black_lead ?? known?.black_lead;
  const share = winrate ?? 0.5;
  return (
    <div class="balance">
      <div class="bar" role="img" aria-label={`${t("winrate")} ${player(0)} ${percent(share)}`}>
        <div class="black" style={{ inlineSize: `${100 * share}%` }} />
      </div>
      <div class="figures">
        <span>
          {player(0)} <b>{winrate === undefined ? "–" : percent(winrate)}</b>
        </span>
        {lead !== undefined && lead !== null && (
          <span>
            {Math.abs(lead) < 0.05
              ? t("even")
              : t("ahead", { player: player(lead > 0 ? 0 : 1), x: Math.abs(lead).toFixed(1) })}
          </span>
        )}
        <span>
          <b>{winrate === undefined ? "–" : percent(1 - winrate)}</b> {player(1)}
        </span>
      </div>
    </div>
  );
}

function Candidates({ candidates, total }: { candidates: Candidate[]; total: number }) {
  if (candidates.length === 0) return <p class="soft">{t("no_candidates")}</p>;
  const scored = candidates[0]?.lead !== null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("candidates")}>
      <table class="candidates">
        <thead>
          <tr>
            <th scope="col">{t("move")}</th>
            <th scope="col">{t("winrate")}</th>
            {scored && <th scope="col">{t("lead")}</th>}
            <th scope="col">{t("visits")}</th>
            <th scope="col">{t("prior")}</th>
            <th scope="col">{t("share_of_visits")}</th>
            <th scope="col">{t("line")}</th>
          </tr>
        </thead>
        <tbody>
          {candidates.slice(0, 12).map((c) => (
            <tr key={c.action}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  onClick={() => send({ type: "play", action: c.action })}
                >
                  {vertex(c.action, size.value, t("pass"))}
                </button>
              </th>
              <td>{percent(c.winrate)}</td>
              {scored && <td>{c.lead === null ? "" : signed(c.lead)}</td>}
              <td>{short(c.n)}</td>
              <td>{percent(c.p)}</td>
              <td>
                <span class="share" role="img" aria-label={percent(c.n / Math.max(1, total))}>
                  <span style={{ inlineSize: `${(100 * c.n) / Math.max(1, total)}%` }} />
                </span>
              </td>
              <td class="line" dir="ltr">
                {c.line
                  .slice(1, 7)
                  .map((a) => vertex(a, size.value, t("pass")))
                  .join(" ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Counting() {
  const result = counted.value;
  if (!counting.value || result === null) return null;
  const winner = result.score > 0 ? 1 : 0;
  return (
    <p class="counting" role="status" data-score={result.score}>
      <b>{result.estimate ? t("estimate") : t("result")}:</b>{" "}
      {result.score === 0
        ? t("even")
        : t("ahead", { player: player(winner), x: Math.abs(result.score) })}
      . <span class="soft">{t("count_help")}</span>
    </p>
  );
}

/** The string of stones a point belongs to. */
function stringOf(board: string, start: number, width: number): number[] {
  const found = new Set([start]);
  const waiting = [start];
  while (waiting.length) {
    const p = waiting.pop()!;
    const x = p % width;
    const around = [x > 0 ? p - 1 : -1, x < width - 1 ? p + 1 : -1, p - width, p + width];
    for (const q of around) {
      if (q >= 0 && q < board.length && board[q] === board[start] && !found.has(q)) {
        found.add(q);
        waiting.push(q);
      }
    }
  }
  return [...found];
}

function onPoint(action: number): void {
  const here = position.value;
  if (!here) return;
  const count = counted.value;
  if (counting.value && count && here.board[action] !== ".") {
    const string = stringOf(here.board, action, size.value.width);
    const gone = new Set(count.dead);
    const wasDead = gone.has(action);
    for (const p of string) if (wasDead) gone.delete(p);
    else gone.add(p);
    send({ type: "count", dead: [...gone] });
    return;
  }
  counting.value = false;
  send({ type: "play", action });
}

export function Play() {
  const here = position.value;
  const current = game.value;
  if (!here || !current) return <p class="soft loading">…</p>;
  const found = shownReport.value;
  const shown = overlay();
  const total = found?.candidates.reduce((sum, c) => sum + c.n, 0) ?? 0;
  const count = counting.value ? counted.value : null;
  const comment = current.nodes.find((node) => node.id === here.node)?.comment;
  return (
    <div class="panel play">
      <div class="board-side">
        <Players />
        <Board
          size={size.value}
          stones={here.board}
          toPlay={here.to_play}
          last={here.last}
          forbidden={here.forbidden}
          candidates={
            count || shown === "none" || shown === "ownership" ? [] : (found?.candidates ?? [])
          }
          prior={!count && shown === "prior" ? (found?.prior ?? null) : null}
          ownership={!count && shown === "ownership" ? (found?.ownership ?? null) : null}
          area={count?.area ?? null}
          dead={count?.dead ?? []}
          label={t("board")}
          onPoint={onPoint}
        />
        <Status />
        <Counting />
        <Transport />
        <div class="under-board">
          <Segments
            label={t("overlay")}
            value={shown}
            options={[
              ["candidates", t("overlay_candidates")],
              ["prior", t("overlay_prior")],
              ["ownership", t("overlay_ownership")],
              ["none", t("overlay_none")],
            ]}
            onChange={(value) => setValues({ show: value === "candidates" ? null : value })}
          />
          <p class="soft hint">{t("board_help")}</p>
        </div>
      </div>
      <div class="cards">
        <Card
          title={t("candidates")}
          aside={
            found && (
              <span class="soft" data-visits={found.visits}>
                {visitsText(found.visits, short(found.visits))} ·{" "}
                {t("positions_per_second", { n: short(found.per_second) })}
              </span>
            )
          }
        >
          <Balance />
          <Candidates candidates={found?.candidates ?? []} total={total} />
        </Card>
        <GameGraph />
        <Mistakes />
        {comment && (
          <Card title={t("comment")}>
            <p class="comment">{comment}</p>
          </Card>
        )}
        <Variations />
        <EngineSettings />
        <NewGame />
        <RecordTools />
        <Intro text={t("play_intro")} formulas={["decision"]} anchor="play-and-analyse" />
      </div>
    </div>
  );
}
