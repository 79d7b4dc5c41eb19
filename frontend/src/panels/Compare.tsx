import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { number, setValues, text } from "../address";
import { Asker } from "../ask";
import { vertex } from "../board";
import { percent, short, signed } from "../numbers";
import { Board } from "../parts/Board";
import { Card, Intro, Slider } from "../parts/controls";
import { SmallTree } from "../parts/SmallTree";
import { game, position, send, size, welcome, working } from "../state";
import { player, systemName, t, visitsText } from "../texts";
import type { Compared, Position, ServerEvent } from "../wire";

const answers = signal<Record<string, Compared>>({});
const asker = new Asker((event: ServerEvent) => {
  if (event.type === "compared") answers.value = { ...answers.value, [event.system]: event };
});
const DEFAULT = "uct,alphago_lee,alphago_zero,katago,policy_only,alphabeta";

export function Compare() {
  useEffect(() => asker.listen(), []);
  const here = position.value;
  const hello = welcome.value;
  const node = here?.node;
  useEffect(() => {
    answers.value = {};
  }, [node, game.value?.serial]);
  if (!here || !hello || !game.value) return <p class="soft loading">…</p>;
  const chosen = text("systems", DEFAULT).split(",");
  const systems = hello.systems.filter((s) => chosen.includes(s.name)).map((s) => s.name);
  const busy = working.value.work === "compare";
  const toggle = (name: string): void => {
    const next = hello.systems
      .map((s) => s.name)
      .filter((n) => (n === name ? !systems.includes(n) : systems.includes(n)));
    setValues({ systems: next.join(",") });
  };
  return (
    <div class="panel compare">
      <Card
        title={t("systems")}
        aside={
          <button
            type="button"
            class="main"
            data-action="compare"
            disabled={systems.length === 0}
            onClick={() => {
              if (busy) {
                send({ type: "cancel" });
                return;
              }
              answers.value = {};
              asker.askAnew({ type: "compare", systems, visits: number("v", 200) });
            }}
          >
            {busy ? t("cancel") : t("run")}
          </button>
        }
      >
        <div class="checks">
          {hello.systems.map((s) => (
            <label key={s.name}>
              <input
                type="checkbox"
                checked={systems.includes(s.name)}
                onChange={() => toggle(s.name)}
              />
              {systemName(s.name)}
            </label>
          ))}
        </div>
        <Slider
          label={t("visits_each")}
          value={number("v", 200)}
          min={1}
          max={5000}
          step={1}
          logarithmic
          onChange={(v) => setValues({ v })}
        />
      </Card>
      <div class="contenders">
        {systems.map((name) => (
          <Contender key={name} name={name} answer={answers.value[name]} busy={busy} here={here} />
        ))}
      </div>
      <Intro text={t("compare_intro")} formulas={["decision"]} anchor="side-by-side" />
    </div>
  );
}

function Contender(props: {
  name: string;
  answer: Compared | undefined;
  busy: boolean;
  here: Position;
}) {
  const { name, answer, busy, here } = props;
  const found = answer?.report;
  const choice = found?.best;
  return (
    <section class="card contender" data-system={name} data-depth={answer?.depth}>
      <header>
        <h2>{systemName(name)}</h2>
        <span class="soft">
          {found ? effort(found.visits, answer?.depth ?? null) : busy ? t("waiting") : ""}
        </span>
      </header>
      {answer?.message ? (
        <p class="soft">{answer.message}</p>
      ) : (
        <>
          <Board
            size={size.value}
            stones={here.board}
            toPlay={here.to_play}
            last={here.last}
            candidates={found?.candidates ?? []}
            prior={found?.candidates.length === 0 ? found.prior : null}
            played={choice ?? null}
            coordinates={false}
            label={`${t("board")}, ${systemName(name)}`}
          />
          <p class="verdict">
            {found && choice !== null && choice !== undefined ? (
              <>
                {t("chooses")} <b data-choice={choice}>{vertex(choice, size.value, t("pass"))}</b>
                {", "}
                {player(found.player)}{" "}
                <b>
                  {percent(found.player === 0 ? found.black_winrate : 1 - found.black_winrate)}
                </b>
                {found.candidates[0]?.lead != null && ` (${signed(found.candidates[0].lead)})`}
                <span class="soft"> · {t("seconds_n", { n: answer?.seconds.toFixed(1) ?? "" })}</span>
              </>
            ) : (
              <span class="soft">–</span>
            )}
          </p>
          {found && <Line actions={found.candidates[0]?.line ?? []} first={found.player} />}
          {answer?.depth == null ? (
            <SmallTree rows={answer?.rows ?? []} />
          ) : (
            <p class="soft note">{t("looks_ahead")}</p>
          )}
        </>
      )}
    </section>
  );
}

/** Visits of a search, depth and positions of a system that looks ahead. */
const effort = (visits: number, depth: number | null): string =>
  depth === null
    ? visitsText(visits, short(visits))
    : `${t("depth_n", { n: depth })}, ${t("positions_n", { n: short(visits) })}`;

/** The principal variation. */
function Line({ actions, first }: { actions: number[]; first: number }) {
  if (actions.length === 0) return null;
  return (
    <p class="expected" dir="ltr" data-line={actions.length}>
      {actions.slice(0, 8).map((action, place) => (
        <span key={place} class={(first + place) % 2 ? "by-white" : "by-black"}>
          {vertex(action, size.value, t("pass"))}
        </span>
      ))}
    </p>
  );
}
