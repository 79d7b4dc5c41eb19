/** The made-up node: its actions, as the address has them. */

import { address, setValues } from "../address";
import { Card } from "../parts/controls";
import { t } from "../texts";
import { actionName } from "./Explored";

export interface Action {
  prior: number;
  value: number;
  amaf: number;
}

const MOST = 12;
const EXAMPLE: Action[] = [
  { prior: 0.3, value: 0.05, amaf: 0.15 },
  { prior: 0.25, value: 0.2, amaf: 0.1 },
  { prior: 0.2, value: 0.1, amaf: 0.25 },
  { prior: 0.1, value: 0.3, amaf: 0.2 },
  { prior: 0.1, value: -0.1, amaf: 0 },
  { prior: 0.05, value: 0.25, amaf: -0.1 },
];

const hundredths = (x: number): number => +(100 * x).toFixed(2);

/** Priors, values and AMAF values in the address: `30:5:15,25:20:10,…`, in hundredths. */
const encode = (actions: Action[]): string =>
  actions.map((a) => [a.prior, a.value, a.amaf].map(hundredths).join(":")).join(",");

const within = (low: number, x: number, high: number): number => Math.min(high, Math.max(low, x));

export function actionsOf(): Action[] {
  const given = address.value.values.get("a");
  if (given === null) return EXAMPLE;
  const found = given
    .split(",")
    .map((each) => each.split(":").map((n) => Number(n) / 100))
    .filter((each) => each.length >= 2 && each.every(Number.isFinite))
    .map(([prior = 0, value = 0, amaf = value]) => ({
      prior: within(0, prior, 1),
      value: within(-1, value, 1),
      amaf: within(-1, amaf, 1),
    }));
  return found.length >= 2 ? found.slice(0, MOST) : EXAMPLE;
}

export function Actions({ withAmaf }: { withAmaf: boolean }) {
  const actions = actionsOf();
  const set = (next: Action[]): void => setValues({ a: encode(next) });
  const columns: { key: keyof Action; title: string; min: number; step: number }[] = withAmaf
    ? [
        { key: "value", title: t("q_value"), min: -1, step: 0.05 },
        { key: "amaf", title: t("amaf_value"), min: -1, step: 0.05 },
      ]
    : [
        { key: "prior", title: t("p_value"), min: 0, step: 0.01 },
        { key: "value", title: t("q_value"), min: -1, step: 0.05 },
      ];
  return (
    <Card
      title={t("actions")}
      aside={
        <button
          type="button"
          disabled={actions.length >= MOST}
          onClick={() => set([...actions, { prior: 0.05, value: 0, amaf: 0 }])}
        >
          {t("add_action")}
        </button>
      }
    >
      <table class="numbers editor">
        <thead>
          <tr>
            <th scope="col">a</th>
            {columns.map(({ key, title }) => (
              <th key={key} scope="col">
                {title}
              </th>
            ))}
            <th scope="col">
              <span class="hidden">{t("remove")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {actions.map((a, place) => (
            <tr key={place}>
              <th scope="row">{actionName(place, true)}</th>
              {columns.map(({ key, title, min, step }) => (
                <td key={key}>
                  <input
                    type="number"
                    min={min}
                    max={1}
                    step={step}
                    data-number={`${key}-${place + 1}`}
                    aria-label={`${title} a${place + 1}`}
                    value={+a[key].toFixed(4)}
                    onChange={(e) => {
                      const x = within(min, e.currentTarget.valueAsNumber || 0, 1);
                      set(actions.map((b, i) => (i === place ? { ...b, [key]: x } : b)));
                    }}
                  />
                </td>
              ))}
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
