/** Both players: who they are, what they took, and their clocks. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clock, game, position } from "../state";
import { player, t } from "../texts";
import type { ClockState } from "../wire";

const now = signal(performance.now());

function seconds(left: number): string {
  const whole = Math.ceil(left);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

function Time({ state, at, side }: { state: ClockState; at: number; side: number }) {
  const face = side === 0 ? state.black : state.white;
  const runs = state.running === side;
  const left = Math.max(0, face.seconds - (runs ? Math.max(0, now.value - at) / 1000 : 0));
  const more = state.kind === "byo_yomi" ? "periods_left" : "stones_left";
  return (
    <span class={`time ${runs && left < 10 ? "short" : ""}`} data-clock={side} dir="ltr">
      {seconds(left)}
      {face.overtime && (
        <small title={t(more, { n: face.moves })}>
          <span aria-hidden="true">{state.kind === "byo_yomi" ? "×" : "/"}{face.moves}</span>
          <span class="hidden">{t(more, { n: face.moves })}</span>
        </small>
      )}
    </span>
  );
}

export function Players() {
  const here = position.value;
  const times = clock.value;
  useEffect(() => {
    if (times === null || times.state.running === null) return;
    const timer = window.setInterval(() => (now.value = performance.now()), 250);
    return () => window.clearInterval(timer);
  }, [times]);
  if (!here || !game.value) return null;
  const setting = game.value.setting;
  return (
    <div class="players">
      {[0, 1].map((side) => (
        <div key={side} class={`player ${here.to_play === side && !here.over ? "on" : ""}`}>
          <span class={`stone ${side ? "white" : "black"}`} aria-hidden="true" />
          <strong>{player(side)}</strong>
          <span class="soft">
            {(side ? setting.white : setting.black) === "engine" ? t("engine") : t("person")}
          </span>
          <span class="soft" title={t("captured")}>
            {/* What a player took is the other's stones. */}+{here.captured[1 - side] ?? 0}
          </span>
          {times !== null && <Time {...times} side={side} />}
        </div>
      ))}
    </div>
  );
}
