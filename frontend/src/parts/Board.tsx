import { useId, useState } from "preact/hooks";
import { columnName, playOut, starPoints, vertex, type Size } from "../board";
import { percent, short, signed } from "../numbers";
import { t } from "../texts";
import type { Candidate } from "../wire";

export interface BoardProps {
  size: Size;
  stones: string;
  toPlay: number;
  last: number | null;
  forbidden?: number[];
  candidates?: Candidate[];
  prior?: number[] | null;
  ownership?: number[] | null;
  area?: number[] | null;
  dead?: number[];
  played?: number | null;
  coordinates?: boolean;
  label: string;
  onPoint?: (action: number) => void;
}

const BUBBLES = 12;

/** How good a candidate is beside the best one: 1 is as good. */
function quality(candidate: Candidate, best: Candidate): number {
  return Math.min(1, Math.max(0, 1 - (best.winrate - candidate.winrate) / 0.15));
}

const hue = (good: number): string =>
  `oklch(${0.62 + 0.06 * good} 0.14 ${25 + good * (155 - 25)})`;

export function Board(props: BoardProps) {
  const { size, toPlay } = props;
  const { width, height } = size;
  const [hovered, setHovered] = useState<number | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const id = useId();
  const plain = props.coordinates === false;
  const [near, far] = plain ? [0.62, 0.62] : [1.02, 0.68];
  const shown = props.candidates?.find((c) => c.action === hovered) ?? null;
  const line = shown?.line ?? null;
  const stones = line ? playOut(props.stones, size, toPlay, line) : props.stones;
  const number = new Map<number, number>();
  line?.forEach((action, place) => {
    if (!number.has(action)) number.set(action, place + 1);
  });
  const x = (p: number): number => p % width;
  const y = (p: number): number => Math.floor(p / width);
  const points = Array.from({ length: width * height }, (_, p) => p);
  const forbidden = new Set(props.forbidden);
  const dead = new Set(props.dead);
  const canPlay = props.onPoint !== undefined;

  const onKey = (event: KeyboardEvent): void => {
    const at = cursor ?? Math.floor(height / 2) * width + Math.floor(width / 2);
    const moves: Record<string, number> = {
      ArrowLeft: x(at) > 0 ? -1 : 0,
      ArrowRight: x(at) < width - 1 ? 1 : 0,
      ArrowUp: y(at) > 0 ? -width : 0,
      ArrowDown: y(at) < height - 1 ? width : 0,
    };
    if (event.key in moves) {
      setCursor(cursor === null ? at : at + moves[event.key]!);
      setHovered(cursor === null ? at : at + moves[event.key]!);
    } else if (event.key === "Enter" && cursor !== null) props.onPoint?.(cursor);
    else if (event.key === "Escape") setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const best = props.candidates?.[0];
  const bubbles = line ? [] : (props.candidates ?? []).slice(0, BUBBLES);
  const total = (props.candidates ?? []).reduce((sum, c) => sum + c.n, 0);
  const highest = Math.max(...(props.prior ?? [0]), 1e-9);
  return (
    <svg
      class={`board ${canPlay ? "playable" : ""}`}
      viewBox={`${-near} ${-far} ${width - 1 + near + far} ${height - 1 + near + far}`}
      role={canPlay ? "application" : "img"}
      aria-label={
        cursor === null ? props.label : `${props.label}. ${vertex(cursor, size, t("pass"))}`
      }
      tabIndex={canPlay ? 0 : undefined}
      onKeyDown={canPlay ? onKey : undefined}
      onBlur={() => {
        setCursor(null);
        setHovered(null);
      }}
      onPointerLeave={() => setHovered(null)}
    >
      <defs>
        <radialGradient id={`${id}b`} cx="35%" cy="30%" r="75%">
          <stop offset="0" stop-color="#5a5651" />
          <stop offset="0.5" stop-color="#2a2826" />
          <stop offset="1" stop-color="#100f0e" />
        </radialGradient>
        <radialGradient id={`${id}w`} cx="35%" cy="30%" r="80%">
          <stop offset="0" stop-color="#ffffff" />
          <stop offset="0.6" stop-color="#f3f0ea" />
          <stop offset="1" stop-color="#cfc9bf" />
        </radialGradient>
        <linearGradient id={`${id}g`} x1="0" y1="0" x2="1" y2="0.35">
          <stop offset="0" class="wood-a" />
          <stop offset="0.5" class="wood-b" />
          <stop offset="1" class="wood-a" />
        </linearGradient>
      </defs>
      <rect
        x={-near}
        y={-far}
        width={width - 1 + near + far}
        height={height - 1 + near + far}
        rx={plain ? 0.12 : 0.18}
        fill={`url(#${id}g)`}
      />
      <g class="grid">
        {Array.from({ length: width }, (_, i) => (
          <line key={i} x1={i} x2={i} y1={0} y2={height - 1} />
        ))}
        {Array.from({ length: height }, (_, i) => (
          <line key={i} y1={i} y2={i} x1={0} x2={width - 1} />
        ))}
        {starPoints(size).map((p) => (
          <circle key={p} cx={x(p)} cy={y(p)} r={0.09} />
        ))}
      </g>
      {!plain && (
        <g class="coordinates" aria-hidden="true">
          {Array.from({ length: width }, (_, i) => (
            <text key={i} x={i} y={height - 1 + 0.83}>
              {columnName(i)}
            </text>
          ))}
          {Array.from({ length: height }, (_, i) => (
            <text key={i} x={-0.74} y={i + 0.11}>
              {height - i}
            </text>
          ))}
        </g>
      )}
      {props.ownership && !line && (
        <g>
          {points.map((p) => {
            const owned = props.ownership?.[p] ?? 0;
            if (Math.abs(owned) < 0.08) return null;
            const side = 0.86 * Math.min(1, Math.sqrt(Math.abs(owned)));
            return (
              <rect
                key={p}
                class={owned > 0 ? "owned-black" : "owned-white"}
                x={x(p) - side / 2}
                y={y(p) - side / 2}
                width={side}
                height={side}
                rx={0.06}
              />
            );
          })}
        </g>
      )}
      {props.prior && !line && (
        <g class="priors">
          {points.map((p) => {
            const prior = props.prior?.[p] ?? 0;
            if (prior < 0.002 || stones[p] !== ".") return null;
            const visits = props.candidates?.find((c) => c.action === p)?.n ?? 0;
            return (
              <g key={p}>
                <circle cx={x(p)} cy={y(p)} r={0.24 + 0.24 * Math.sqrt(prior / highest)} />
                <text x={x(p)} y={y(p) + (total ? 0.01 : 0.1)}>
                  {(100 * prior).toFixed(prior < 0.1 ? 1 : 0)}
                </text>
                {total > 0 && (
                  <text class="second" x={x(p)} y={y(p) + 0.27}>
                    {((100 * visits) / total).toFixed(0)}
                  </text>
                )}
              </g>
            );
          })}
        </g>
      )}
      <g>
        {points.map((p) => {
          const stone = stones[p];
          if (stone === ".") return null;
          const order = number.get(p);
          return (
            <g key={p} opacity={dead.has(p) ? 0.45 : order ? 0.82 : 1}>
              <circle class="shade" cx={x(p) + 0.03} cy={y(p) + 0.06} r={0.47} />
              <circle
                cx={x(p)}
                cy={y(p)}
                r={0.47}
                fill={`url(#${id}${stone === "X" ? "b" : "w"})`}
              />
              {order !== undefined && (
                <text class={stone === "X" ? "on-black" : "on-white"} x={x(p)} y={y(p) + 0.15}>
                  {order}
                </text>
              )}
              {p === props.last && order === undefined && (
                <circle
                  class={stone === "X" ? "last on-black" : "last on-white"}
                  cx={x(p)}
                  cy={y(p)}
                  r={0.22}
                />
              )}
            </g>
          );
        })}
      </g>
      {props.ownership && !line && (
        <g>
          {/* Stones that will be the other side's. */}
          {points.map((p) => {
            const owned = props.ownership?.[p] ?? 0;
            const lost = stones[p] === "X" ? -owned : stones[p] === "O" ? owned : 0;
            if (lost < 0.3) return null;
            return (
              <rect
                key={p}
                class={owned > 0 ? "area-black" : "area-white"}
                x={x(p) - 0.2 * lost}
                y={y(p) - 0.2 * lost}
                width={0.4 * lost}
                height={0.4 * lost}
                rx={0.04}
              />
            );
          })}
        </g>
      )}
      {props.area && (
        <g>
          {points.map((p) =>
            props.area?.[p] && (stones[p] === "." || dead.has(p)) ? (
              <rect
                key={p}
                class={props.area[p] === 1 ? "area-black" : "area-white"}
                x={x(p) - 0.17}
                y={y(p) - 0.17}
                width={0.34}
                height={0.34}
                rx={0.04}
              />
            ) : null,
          )}
        </g>
      )}
      {!props.prior &&
        bubbles.map((c, place) => {
          if (c.action >= width * height || !best || stones[c.action] !== ".") return null;
          const good = quality(c, best);
          return (
            <g key={c.action} class="bubble">
              <circle class="ground" cx={x(c.action)} cy={y(c.action)} r={0.47} />
              <circle
                cx={x(c.action)}
                cy={y(c.action)}
                r={0.47}
                fill={hue(good)}
                fill-opacity={place === 0 ? 1 : 0.45 + 0.5 * Math.sqrt(c.n / best.n)}
              />
              {place === 0 && (
                <circle class="best" cx={x(c.action)} cy={y(c.action)} r={0.47} />
              )}
              <text x={x(c.action)} y={y(c.action) - (c.lead === null ? -0.02 : 0.09)}>
                {(100 * c.winrate).toFixed(0)}
              </text>
              <text class="second" x={x(c.action)} y={y(c.action) + (c.lead === null ? 0.27 : 0.14)}>
                {short(c.n)}
              </text>
              {c.lead !== null && (
                <text class="second" x={x(c.action)} y={y(c.action) + 0.34}>
                  {signed(c.lead)}
                </text>
              )}
            </g>
          );
        })}
      {props.played !== undefined &&
        props.played !== null &&
        props.played < width * height &&
        !line && (
          <circle class="played" cx={x(props.played)} cy={y(props.played)} r={0.49} />
        )}
      {cursor !== null && (
        <rect class="cursor" x={x(cursor) - 0.5} y={y(cursor) - 0.5} width={1} height={1} rx={0.1} />
      )}
      <g>
        {canPlay &&
          points.map((p) => (
            <rect
              key={p}
              class={`point ${stones[p] === "." && !forbidden.has(p) ? `free to-${toPlay}` : ""}`}
              data-point={vertex(p, size, "")}
              x={x(p) - 0.5}
              y={y(p) - 0.5}
              width={1}
              height={1}
              onPointerEnter={(e) => e.pointerType === "mouse" && setHovered(p)}
              onClick={() => {
                setHovered(null);
                props.onPoint?.(p);
              }}
            />
          ))}
      </g>
      {shown && <title>{`${vertex(shown.action, size, t("pass"))} ${percent(shown.winrate)}`}</title>}
    </svg>
  );
}
