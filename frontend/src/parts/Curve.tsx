import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { dark } from "../theme";

export interface Line {
  label: string;
  values: (number | null)[];
  colour: string;
  dash?: number[];
  scale?: string;
  points?: boolean;
}

interface Props {
  x: number[];
  lines: Line[];
  height: number;
  label: string;
  logarithmic?: boolean;
  /** The x axis reaches at least so far. */
  least?: number;
  range?: [number, number];
  /** The middle of a second axis, on the right. */
  second?: [number, number];
  marker?: number | null;
  format?: (value: number) => string;
  legend?: boolean;
  /** What the x axis counts. */
  under?: string;
  onPick?: (place: number) => void;
}

/** Curves over a common axis; a click picks the nearest place. */
export function Curve(props: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const kind = JSON.stringify([
    props.lines.map((l) => [l.label, l.colour]),
    props.logarithmic,
    props.range,
    props.second !== undefined,
    props.under,
    dark.value,
  ]);

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink-soft").trim();
    const rule = style.getPropertyValue("--rule").trim();
    const axis = {
      stroke: ink,
      grid: { stroke: rule, width: 1 },
      ticks: { stroke: rule, width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
      gap: 4,
    };
    const format = (_: uPlot, values: number[]): string[] =>
      values.map((v) => (v === null ? "" : (latest.current.format ?? String)(v)));
    const options: uPlot.Options = {
      width: element.clientWidth || 300,
      height: props.height,
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      legend: { show: props.legend === true },
      scales: {
        x: {
          time: false,
          distr: props.logarithmic ? 3 : 1,
          ...(props.least
            ? { range: (_: uPlot, low: number, high: number): [number, number] => [low, Math.max(high, props.least ?? 0)] }
            : {}),
        },
        y: props.range ? { range: props.range } : {},
        ...(props.second ? { second: { range: () => latest.current.second ?? [-1, 1] } } : {}),
      },
      axes: [
        {
          ...axis,
          incrs: WHOLE,
          ...(props.under === undefined
            ? { size: 26 }
            : { size: 40, label: props.under, labelSize: 16, labelFont: axis.font, labelGap: 0 }),
        },
        { ...axis, size: 44, values: format },
        ...(props.second
          ? [{ ...axis, scale: "second", side: 1 as const, size: 36, grid: { show: false } }]
          : []),
      ],
      series: [
        {},
        ...props.lines.map((line) => ({
          label: line.label,
          stroke: line.colour,
          width: 2,
          scale: line.scale ?? "y",
          spanGaps: true,
          points: { show: line.points ?? false, size: 5 },
          ...(line.dash ? { dash: line.dash } : {}),
        })),
      ],
      hooks: {
        draw: [
          (u) => {
            const at = latest.current.marker;
            if (at === null || at === undefined) return;
            const left = u.valToPos(at, "x", true);
            u.ctx.save();
            u.ctx.strokeStyle = ink;
            u.ctx.setLineDash([4, 4]);
            u.ctx.beginPath();
            u.ctx.moveTo(left, u.bbox.top);
            u.ctx.lineTo(left, u.bbox.top + u.bbox.height);
            u.ctx.stroke();
            u.ctx.restore();
          },
        ],
      },
    };
    const made = new uPlot(options, data(props), element);
    plot.current = made;
    const pick = (): void => {
      const place = made.cursor.idx;
      if (place !== null && place !== undefined) latest.current.onPick?.(place);
    };
    made.over.addEventListener("click", pick);
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) {
        made.setSize({ width: element.clientWidth, height: props.height });
      }
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [kind]);

  useEffect(() => {
    plot.current?.setData(data(props));
  }, [props.x, props.lines, props.marker]);

  return <div class="curve" dir="ltr" ref={holder} role="img" aria-label={props.label} />;
}

/** Steps of an axis that counts. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

function data(props: Props): uPlot.AlignedData {
  return [props.x, ...props.lines.map((line) => line.values)] as uPlot.AlignedData;
}
