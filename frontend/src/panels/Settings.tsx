import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Card, Choice, Slider } from "../parts/controls";
import { connection, game, notice, send, welcome } from "../state";
import { systemName, t } from "../texts";
import type { ClockState, Seat } from "../wire";

type ClockKind = ClockState["kind"];

const wish = signal({
  width: 9,
  height: 9,
  rules: "chinese",
  komi: "",
  handicap: 0,
  black: "person" as Seat,
  white: "engine" as Seat,
  clock: "none" as ClockKind | "none",
  minutes: 10,
  increment: 5,
  period: 30,
  periods: 5,
  stones: 10,
});

const CLOCKS: ClockKind[] = ["fischer", "byo_yomi", "canadian"];

function clockWish(now: typeof wish.value): object | null {
  const main = 60 * now.minutes;
  switch (now.clock) {
    case "none":
      return null;
    case "fischer":
      return { kind: now.clock, main, increment: now.increment };
    case "byo_yomi":
      return { kind: now.clock, main, period: now.period, periods: now.periods };
    case "canadian":
      return { kind: now.clock, main, period: now.period, stones: now.stones };
  }
}

type NumberKey =
  | "width"
  | "height"
  | "handicap"
  | "minutes"
  | "increment"
  | "period"
  | "periods"
  | "stones";

const seats = (): [Seat, string][] => [
  ["person", t("person")],
  ["engine", t("engine")],
];

export function NewGame() {
  const now = wish.value;
  const hello = welcome.value;
  const set = (changes: Partial<typeof now>): void => {
    wish.value = { ...wish.value, ...changes };
  };
  const usual = hello?.komi[now.rules] ?? 7.5;
  const count = (label: string, key: NumberKey, min: number, max: number) => (
    <label class="count">
      {label}
      <input
        type="number"
        data-number={key}
        min={min}
        max={max}
        value={now[key]}
        onChange={(e) => {
          const x = Math.round(e.currentTarget.valueAsNumber) || min;
          set({ [key]: Math.min(max, Math.max(min, x)) });
        }}
      />
    </label>
  );
  return (
    <Card title={t("new_game")} class="new-game">
      <form
        onSubmit={(e) => {
          e.preventDefault();
          send({
            type: "new_game",
            width: now.width,
            height: now.height,
            rules: now.rules,
            komi: now.komi === "" ? null : Number(now.komi),
            handicap: now.handicap,
            black: now.black,
            white: now.white,
            clock: clockWish(now),
          });
        }}
      >
        <div class="sizes" role="group" aria-label={t("size")}>
          {[9, 13, 19].map((n) => (
            <button
              key={n}
              type="button"
              data-size={n}
              aria-pressed={now.width === n && now.height === n}
              onClick={() => set({ width: n, height: n })}
            >
              {n}×{n}
            </button>
          ))}
          <span class="sides">
            {count(t("width"), "width", 2, 25)}
            {count(t("height"), "height", 2, 25)}
          </span>
        </div>
        <div class="fields">
          <Choice
            label={t("rules")}
            name="rules"
            value={now.rules}
            options={(hello?.rules ?? []).map((r) => [r, r])}
            onChange={(rules) => set({ rules })}
          />
          <label class="count">
            {t("komi")}
            <input
              type="number"
              step={0.5}
              min={-400}
              max={400}
              data-number="komi"
              placeholder={String(usual)}
              value={now.komi}
              onChange={(e) => set({ komi: e.currentTarget.value })}
            />
          </label>
          {count(t("handicap"), "handicap", 0, 9)}
          <Choice
            label={t("black")}
            name="black"
            value={now.black}
            options={seats()}
            onChange={(black) => set({ black })}
          />
          <Choice
            label={t("white")}
            name="white"
            value={now.white}
            options={seats()}
            onChange={(white) => set({ white })}
          />
          <Choice
            label={t("clock")}
            name="clock"
            value={now.clock}
            options={[
              ["none", t("clock_none")],
              ...CLOCKS.map((kind): [ClockKind, string] => [kind, t(`clock_${kind}`)]),
            ]}
            onChange={(clock) => set({ clock })}
          />
          {now.clock !== "none" && count(t("minutes"), "minutes", 0, 1440)}
          {now.clock === "fischer" && count(t("increment"), "increment", 0, 600)}
          {(now.clock === "byo_yomi" || now.clock === "canadian") &&
            count(t("period"), "period", 1, 3600)}
          {now.clock === "byo_yomi" && count(t("periods"), "periods", 1, 99)}
          {now.clock === "canadian" && count(t("stones"), "stones", 1, 99)}
        </div>
        <button type="submit" class="main" data-action="new-game">
          {t("start")}
        </button>
      </form>
    </Card>
  );
}

export function EngineSettings() {
  const setting = game.value?.setting;
  const hello = welcome.value;
  if (!setting || !hello) return null;
  const networks = hello.networks.length > 1;
  return (
    <Card title={t("engine_settings")}>
      <div class="fields halves">
        <Choice
          label={t("system")}
          name="system"
          value={setting.system}
          options={hello.systems.map((s) => {
            const missing = s.needs_network && setting.network === "playouts";
            const name = systemName(s.name);
            return [s.name, missing ? `${name} (${t("needs_network")})` : name, missing];
          })}
          onChange={(system) => send({ type: "configure", system })}
        />
        <Choice
          label={t("network")}
          name="network"
          value={setting.network}
          options={hello.networks.map((n) => [
            n,
            n === "playouts" ? t("playouts") : n,
            !networks && n !== setting.network,
          ])}
          onChange={(network) => send({ type: "configure", network })}
        />
        <Choice
          label={t("black")}
          value={setting.black}
          options={seats()}
          onChange={(black) => send({ type: "configure", black })}
        />
        <Choice
          label={t("white")}
          value={setting.white}
          options={seats()}
          onChange={(white) => send({ type: "configure", white })}
        />
      </div>
      <Slider
        label={t("visits")}
        name="visits"
        value={setting.visits}
        min={1}
        max={20_000}
        step={1}
        logarithmic
        onChange={(visits) => configureSoon({ visits })}
      />
      <Slider
        label={t("seconds_per_move")}
        name="seconds"
        value={setting.seconds}
        min={0}
        max={60}
        step={0.5}
        onChange={(seconds) => configureSoon({ seconds })}
      />
    </Card>
  );
}

let later = 0;
/** A slider sends many values; the last one counts. */
function configureSoon(changes: Record<string, number>): void {
  window.clearTimeout(later);
  later = window.setTimeout(() => send({ type: "configure", ...changes }), 200);
}

export async function openFile(file: File): Promise<void> {
  if (file.size > 1_000_000) {
    notice.value = `${file.name}: ${Math.round(file.size / 1000)} kB > 1000 kB`;
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = new TextDecoder("utf-8").decode(bytes);
  const named = /CA\[([^\]]+)\]/.exec(text)?.[1];
  if (named && !/utf-?8/i.test(named)) {
    try {
      text = new TextDecoder(named.trim()).decode(bytes).replace(/CA\[[^\]]+\]/, "CA[UTF-8]");
    } catch {
      // An encoding that no browser knows: the moves can still be read.
    }
  }
  send({ type: "load_sgf", text });
}

export function RecordTools() {
  const input = useRef<HTMLInputElement>(null);
  const download = (): void => {
    const number = send({ type: "get_sgf" });
    const stop = connection.listen((event) => {
      if (event.number !== number) return;
      stop();
      if (event.type !== "sgf") return;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([event.text], { type: "application/x-go-sgf" }));
      link.download = event.name;
      link.click();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  };
  const warnings = game.value?.warnings ?? [];
  return (
    <Card title={t("record")}>
      <div class="buttons">
        <button type="button" onClick={() => input.current?.click()}>
          {t("open_sgf")}
        </button>
        <button
          type="button"
          onClick={() => {
            void navigator.clipboard
              .readText()
              .then((text) => send({ type: "load_sgf", text }))
              .catch(() => (notice.value = t("drop_here")));
          }}
        >
          {t("paste_sgf")}
        </button>
        <button type="button" data-action="download" onClick={download}>
          {t("download_sgf")}
        </button>
        {connection.earlier && (
          <button type="button" onClick={() => connection.change(connection.earlier)}>
            {t("earlier_game")}
          </button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        accept=".sgf"
        hidden
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          if (file) void openFile(file);
          e.currentTarget.value = "";
        }}
      />
      <p class="soft">{t("drop_here")}</p>
      {warnings.length > 0 && (
        <ul class="warnings">
          {warnings.map((w) => (
            <li key={w}>{w}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}
