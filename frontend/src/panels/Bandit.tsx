import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { address, number, setValues } from "../address";
import { Asker } from "../ask";
import { fixed, percent } from "../numbers";
import { Card, Intro, Slider } from "../parts/controls";
import { Curve } from "../parts/Curve";
import { position, send } from "../state";
import { t, type Key } from "../texts";
import { cycle } from "../tokens";
import type { BanditRun, ServerEvent } from "../wire";

const EXAMPLE = [0.5, 0.6, 0.4, 0.3];
const run = signal<BanditRun | null>(null);
const running = signal(false);
const asker = new Asker((event: ServerEvent) => {
  if (event.type === "bandit_run") {
    run.value = event;
    running.value = !event.finished;
  } else if (event.type === "refused") running.value = false;
});

function meansOf(): number[] {
  const given = address.value.values.get("arms");
  const found = (given ?? "").split(",").map((x) => Number(x) / 100);
  const usable = given !== null && found.length >= 2 && found.every((x) => x >= 0 && x <= 1);
  return usable ? found.slice(0, 8) : EXAMPLE;
}

function start(): void {
  running.value = true;
  asker.askAnew({
    type: "run_bandit",
    means: meansOf(),
    pulls: number("pulls", 500),
    repeats: number("runs", 20),
    c_ucb: number("cu", 1),
    c_puct: number("cp", 1.5),
    seed: number("seed", 0),
  });
}

export function Bandit() {
  useEffect(() => asker.listen(), []);
  const ready = position.value !== null;
  useEffect(() => {
    if (ready && run.value === null) start();
  }, [ready]);
  const means = meansOf();
  const set = (next: number[]): void =>
    setValues({ arms: next.map((m) => +(100 * m).toFixed(1)).join(",") });
  const found = run.value;
  const best = means.indexOf(Math.max(...means));
  return (
    <div class="panel explorer bandit">
      <div class="knobs">
        <Card
          title={t("arms")}
          aside={
            <button type="button" disabled={means.length >= 8} onClick={() => set([...means, 0.5])}>
              {t("add_arm")}
            </button>
          }
        >
          {means.map((mean, place) => (
            <div class="arm" key={place}>
              <Slider
                label={`${place + 1}`}
                value={mean}
                min={0}
                max={1}
                step={0.01}
                onChange={(m) => set(means.map((x, i) => (i === place ? m : x)))}
              />
              <button
                type="button"
                class="quiet"
                disabled={means.length <= 2}
                aria-label={`${t("remove")} ${place + 1}`}
                onClick={() => set(means.filter((_, i) => i !== place))}
              >
                ×
              </button>
            </div>
          ))}
          <Slider label={t("pulls")} value={number("pulls", 500)} min={50} max={2000} step={50} onChange={(pulls) => setValues({ pulls })} />
          <Slider label={t("repeats")} value={number("runs", 20)} min={1} max={100} step={1} onChange={(runs) => setValues({ runs })} />
          <Slider label="c, UCB1" value={number("cu", 1)} min={0} max={4} step={0.1} onChange={(cu) => setValues({ cu })} />
          <Slider label="c, PUCT" value={number("cp", 1.5)} min={0} max={5} step={0.1} onChange={(cp) => setValues({ cp })} />
          <Slider label={t("seed")} value={number("seed", 0)} min={0} max={50} step={1} onChange={(seed) => setValues({ seed })} />
          <button
            type="button"
            class="main"
            data-action="run-bandit"
            onClick={() => {
              if (running.value) {
                running.value = false;
                send({ type: "cancel" });
              } else start();
            }}
          >
            {running.value ? t("cancel") : t("run")}
          </button>
        </Card>
        <Intro text={t("bandit_intro")} formulas={["regret", "ucb1", "puct"]} anchor="bandit" />
      </div>
      <div class="views">
        {found && (
          <Card title={t("regret_curves", { n: found.repeats })} class="first">
            <Curve
              x={found.at}
              lines={found.strategies.map((s, i) => ({
                label: t(`s_${s.name}` as Key),
                values: s.regret,
                colour: cycle(i),
              }))}
              legend
              height={320}
              label={t("regret_curves", { n: found.repeats })}
              format={(v) => v.toFixed(0)}
            />
            <div class="scroll" tabIndex={0} role="region" aria-label={t("regret")}>
              <table class="numbers strategies" data-repeats={found.repeats} data-finished={found.finished}>
                <thead>
                  <tr>
                    <th scope="col">{t("strategy")}</th>
                    <th scope="col">{t("regret")}</th>
                    <th scope="col">{t("best_arm_share")}</th>
                  </tr>
                </thead>
                <tbody>
                  {found.strategies.map((s, i) => {
                    const all = s.pulls.reduce((a, b) => a + b, 0);
                    return (
                      <tr key={s.name} data-strategy={s.name}>
                        <th scope="row">
                          <span class="dot" style={{ background: cycle(i) }} />
                          {t(`s_${s.name}` as Key)}
                        </th>
                        <td>{fixed(s.regret[s.regret.length - 1] ?? 0, 1)}</td>
                        <td>{percent((s.pulls[best] ?? 0) / Math.max(1, all), 0)}</td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </div>
          </Card>
        )}
      </div>
    </div>
  );
}
