import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { address, number, setValues, text } from "../address";
import { Asker } from "../ask";
import { Card, Choice, Intro, Segments, Slider } from "../parts/controls";
import type { FormulaName } from "../parts/Formula";
import { game, notice, position } from "../state";
import { t, type Key } from "../texts";
import type { Explored, ServerEvent } from "../wire";
import { Bars, Curves, Halving, Milestones, placesFor } from "./Explored";
import {
  AMAF_SHARE,
  CHOICES,
  OF_SCHEDULE,
  SCHEDULES,
  usualSchedule,
  type FormulaChoice,
  type FormulaKey,
  type Parameter,
  type Schedule,
} from "./formulas";
import { Actions, actionsOf } from "./MadeUp";

const FPU = [
  "constant",
  "parent",
  "parent_minus_constant",
  "parent_minus_visited_policy",
  "unvisited_first",
] as const;

const explored = signal<Explored | null>(null);
/** What was asked last, and the last question that was answered to its end or refused. */
let asked = "";
const answered = signal("");
const asker = new Asker((event: ServerEvent) => {
  if (event.type === "explored") explored.value = event;
  if (event.type === "refused" || (event.type === "explored" && event.finished)) {
    answered.value = asked;
  }
});

function formulaKey(): FormulaKey {
  const key = text("f", "puct");
  return key in CHOICES ? (key as FormulaKey) : "puct";
}

const scheduleOf = (key: FormulaKey): Schedule => {
  const named = SCHEDULES.find((each) => each === text("beta", ""));
  return named ?? usualSchedule(key);
};

const madeUp = (): boolean => text("from", "made_up") === "made_up";

function request(): Parameters<Asker["ask"]>[0] {
  const key = formulaKey();
  const choice: FormulaChoice = CHOICES[key];
  const schedule = scheduleOf(key);
  const values: Record<string, number> = {};
  for (const each of choice.parameters) values[each.key] = number(each.key, each.initial);
  const epsilon = number("eps", 0);
  const k = choice.terms === "amaf" && schedule === "equivalence" ? (values.eq ?? null) : null;
  return {
    type: "explore",
    selection: choice.selection(values, {
      fpu: { rule: text("fpu", "constant"), amount: number("amount", 0) },
      schedule,
    }),
    noise:
      epsilon > 0 && choice.guided ? { weight: epsilon, concentration: number("conc", 10.83) } : null,
    actions: madeUp() ? actionsOf() : [],
    amaf_share: number("share", AMAF_SHARE.initial),
    visits: number("n", 100),
    curve_visits: placesFor(choice.terms, k),
    seed: number("seed", 0),
  };
}

function ParameterSlider({ parameter }: { parameter: Parameter }) {
  const { key, label, initial, min, max, step, logarithmic } = parameter;
  return (
    <Slider
      label={typeof label === "string" ? t(label) : label.symbol}
      name={key}
      value={number(key, initial)}
      min={min}
      max={max}
      step={step}
      {...(logarithmic ? { logarithmic } : {})}
      onChange={(value) => setValues({ [key]: value })}
    />
  );
}

/** What chance has drawn, and the wish to draw again. */
function Redraw() {
  const seed = number("seed", 0);
  return (
    <p class="redraw">
      <button type="button" data-action="redraw" onClick={() => setValues({ seed: seed + 1 })}>
        {t("redraw")}
      </button>
      <span class="soft">{t("draw_n", { n: seed + 1 })}</span>
    </p>
  );
}

function Guidance() {
  const epsilon = number("eps", 0);
  const rule = text("fpu", "constant");
  return (
    <>
      <Choice
        label={t("fpu")}
        name="fpu"
        value={rule}
        options={FPU.map((each) => [each, t(`fpu_${each}` as Key)])}
        onChange={(fpu) => setValues({ fpu, amount: null })}
      />
      {rule !== "parent" && rule !== "unvisited_first" && (
        <Slider
          label={t("fpu_amount")}
          name="amount"
          value={number("amount", 0)}
          min={-1}
          max={1}
          step={0.05}
          onChange={(amount) => setValues({ amount })}
        />
      )}
      <Slider
        label={t("noise")}
        name="noise"
        value={epsilon}
        min={0}
        max={1}
        step={0.05}
        onChange={(eps) => setValues({ eps })}
      />
      {epsilon > 0 && (
        <>
          <Slider
            label={t("noise_alpha")}
            name="conc"
            value={number("conc", 10.83)}
            min={0.1}
            max={40}
            step={0.1}
            onChange={(conc) => setValues({ conc })}
          />
          <Redraw />
        </>
      )}
    </>
  );
}

function Knobs({ formula }: { formula: FormulaKey }) {
  const choice: FormulaChoice = CHOICES[formula];
  const schedule = scheduleOf(formula);
  const unused = schedule === "equivalence" ? OF_SCHEDULE.minimum_mse : OF_SCHEDULE.equivalence;
  return (
    <Card title={t("formula")} class="second">
      <Segments
        label={t("source")}
        value={madeUp() ? "made_up" : "board"}
        options={[
          ["made_up", t("made_up")],
          ["board", t("on_board")],
        ]}
        onChange={(from) => setValues({ from: from === "made_up" ? null : from })}
      />
      <Choice
        label={t("formula")}
        name="formula"
        value={formula}
        options={(Object.keys(CHOICES) as FormulaKey[]).map((k) => [k, t(CHOICES[k].text)])}
        onChange={(f) => {
          const forgotten = [...CHOICES[formula].parameters, ...CHOICES[f].parameters];
          setValues({ ...Object.fromEntries(forgotten.map((p) => [p.key, null])), beta: null, f });
        }}
      />
      {choice.terms === "amaf" && (
        <Choice
          label={t("schedule")}
          name="schedule"
          value={schedule}
          options={SCHEDULES.map((each) => [each, t(`schedule_${each}`)])}
          onChange={(beta) => setValues({ beta })}
        />
      )}
      {choice.parameters
        .filter((each) => choice.terms !== "amaf" || each.key !== unused)
        .map((each) => (
          <ParameterSlider key={each.key} parameter={each} />
        ))}
      {choice.terms === "amaf" && madeUp() && <ParameterSlider parameter={AMAF_SHARE} />}
      <Slider
        label={t("n_s")}
        name="n"
        value={number("n", 100)}
        min={1}
        max={2000}
        step={1}
        logarithmic
        onChange={(n) => setValues({ n })}
      />
      {choice.guided && <Guidance />}
      {choice.terms === "gumbel" && <Redraw />}
    </Card>
  );
}

/** Which formulas and which words explain a choice. */
function about(key: FormulaKey): { formulas: FormulaName[]; words: Key } {
  const choice: FormulaChoice = CHOICES[key];
  if (choice.terms === "amaf") {
    return { formulas: [choice.formula, scheduleOf(key)], words: "amaf_intro" };
  }
  if (choice.terms === "gumbel") {
    return { formulas: [choice.formula, "sigma"], words: "gumbel_intro" };
  }
  return { formulas: [choice.formula, "q"], words: "explorer_intro" };
}

export function Explorer() {
  useEffect(() => asker.listen(), []);
  const query = address.value.values.toString();
  const ready = position.value !== null && game.value !== null;
  const shownNode = madeUp() ? null : `${game.value?.serial}:${position.value?.node}`;
  const question = `${query} ${shownNode}`;
  useEffect(() => {
    if (!ready) return;
    const wish = request();
    asker.soon(() => {
      asked = question;
      asker.askAnew(wish);
    });
  }, [question, ready, notice.value === null]);
  const key = formulaKey();
  const choice: FormulaChoice = CHOICES[key];
  const found = explored.value;
  const { formulas, words } = about(key);
  const letter =
    choice.terms !== "amaf" ? "c" : scheduleOf(key) === "equivalence" ? "k" : "bias";
  return (
    <div class="panel explorer">
      <div class="knobs">
        <Knobs formula={key} />
        {madeUp() && <Actions withAmaf={choice.terms === "amaf"} />}
        <Intro text={t(words)} formulas={formulas} anchor="puct-explorer" />
      </div>
      <div class="views" aria-busy={answered.value !== question}>
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
            {found.halving.length > 0 && (
              <Card title={t("halving", { n: found.total })}>
                <Halving found={found} />
              </Card>
            )}
            <Card
              title={
                found.terms === "amaf"
                  ? t("beta_curves")
                  : found.terms === "gumbel"
                    ? t("policy_curves")
                    : t("curves", { n: found.total })
              }
            >
              <Curves found={found} letter={letter} />
            </Card>
          </>
        )}
      </div>
    </div>
  );
}
