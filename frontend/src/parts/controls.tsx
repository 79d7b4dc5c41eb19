import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "../texts";
import { Formula, type FormulaName } from "./Formula";

/** A slider with its number beside it; both can be changed. */
export function Slider(props: {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  logarithmic?: boolean;
  name?: string;
  onChange: (value: number) => void;
}) {
  const id = useId();
  const { value, min, max, step } = props;
  const toTrack = (v: number): number => (props.logarithmic ? Math.log(Math.max(v, min)) : v);
  const fromTrack = (v: number): number => {
    if (!props.logarithmic) return Number(v.toFixed(6));
    return min < 1 ? Number(Math.exp(v).toPrecision(2)) : Math.round(Math.exp(v));
  };
  const set = (v: number): void => {
    if (Number.isFinite(v)) props.onChange(Math.min(max, Math.max(min, v)));
  };
  return (
    <div class="slider">
      <label for={id}>{props.label}</label>
      <input
        id={id}
        type="range"
        data-slider={props.name}
        min={toTrack(min)}
        max={toTrack(max)}
        step={props.logarithmic ? 0.01 : step}
        value={toTrack(value)}
        onInput={(e) => set(fromTrack(e.currentTarget.valueAsNumber))}
      />
      <input
        type="number"
        aria-label={props.label}
        data-number={props.name}
        min={min}
        max={max}
        step={step}
        value={value}
        onChange={(e) => set(e.currentTarget.valueAsNumber)}
      />
    </div>
  );
}

export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: [T, string, boolean?][];
  name?: string;
  onChange: (value: T) => void;
}) {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        data-choice={props.name}
        value={props.value}
        onChange={(e) => props.onChange(e.currentTarget.value as T)}
      >
        {props.options.map(([value, text, disabled]) => (
          <option key={value} value={value} disabled={disabled} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A few choices side by side, one of them taken. */
export function Segments<T extends string>(props: {
  label: string;
  value: T;
  options: [T, string][];
  onChange: (value: T) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(([value, text]) => (
        <button
          key={value}
          type="button"
          data-segment={value}
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export function Card(props: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    <section class={`card ${props.class ?? ""}`}>
      <header>
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

/** What a panel shows, its formulas, and where to read on. */
export function Intro(props: { text: string; formulas: FormulaName[]; anchor: string }) {
  return (
    <details class="intro" open>
      <summary>{t("about")}</summary>
      <div>
        <p>{props.text}</p>
        {props.formulas.map((name) => (
          <Formula key={name} name={name} />
        ))}
        <p>
          <a href={`./docs.html#${props.anchor}`}>{t("docs")}</a>
        </p>
      </div>
    </details>
  );
}
