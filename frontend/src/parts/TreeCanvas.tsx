import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { fixed, short, signed } from "../numbers";
import { dark } from "../theme";
import { layOut, principal, radius, type Drawn, type Spot } from "./trees";

interface Props {
  root: Spot;
  selected: number;
  collapsed: ReadonlySet<number>;
  /** Nodes to be marked, as the step mode does with the way down. */
  marked?: ReadonlySet<number>;
  fit: number;
  name: (spot: Spot) => string;
  label: string;
  onSelect: (spot: Spot) => void;
  onToggle: (spot: Spot) => void;
}

const ACROSS = 46;
const DOWN = 92;
/** From this zoom on there is room for numbers. */
const READABLE = 0.8;
/** Zoomed out further than this, nodes keep their size on the screen. */
const SMALLEST = 0.42;

/** A tree on a canvas: thousands of nodes move with the finger. */
export function TreeCanvas(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<ZoomTransform>(zoomIdentity);
  const behaviour = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);
  const touched = useRef(false);
  const [aspect, setAspect] = useState(0.8);
  const drawn = useMemo(
    () => layOut(props.root, props.collapsed, ACROSS, DOWN, aspect),
    [props.root, props.collapsed, aspect],
  );
  const nodes = useMemo(() => drawn.descendants(), [drawn]);
  const latest = useRef({ props, drawn, nodes });
  latest.current = { props, drawn, nodes };
  const due = useRef(0);

  const draw = (): void => {
    due.current = 0;
    const element = canvas.current;
    if (element) paint(element, view.current, latest.current);
  };
  const drawSoon = (): void => {
    if (due.current === 0) due.current = requestAnimationFrame(draw);
  };

  const fit = (): void => {
    const element = canvas.current;
    if (!element || !behaviour.current) return;
    const all = latest.current.nodes;
    const xs = all.map((d) => d.x);
    const left = Math.min(...xs) - 40;
    const right = Math.max(...xs) + 40;
    const bottom = Math.max(...all.map((d) => d.y)) + 60;
    const { clientWidth: w, clientHeight: h } = element;
    const scale = Math.min(1.2, w / (right - left), h / (bottom + 50));
    const x = w / 2 - (scale * (left + right)) / 2;
    select(element).call(
      behaviour.current.transform,
      zoomIdentity.translate(x, Math.max(44 * scale, 24)).scale(scale),
    );
    touched.current = false;
  };

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const made = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.02, 4])
      .on("zoom", (event: { transform: ZoomTransform; sourceEvent: unknown }) => {
        view.current = event.transform;
        if (event.sourceEvent) touched.current = true;
        drawSoon();
      });
    behaviour.current = made;
    select(element).call(made).on("dblclick.zoom", null);
    const observer = new ResizeObserver(() => {
      const scale = window.devicePixelRatio || 1;
      element.width = element.clientWidth * scale;
      element.height = element.clientHeight * scale;
      setAspect(Math.round((10 * element.clientHeight) / Math.max(1, element.clientWidth)) / 10);
      if (!touched.current) fit();
      drawSoon();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(due.current);
      due.current = 0;
    };
  }, []);

  useEffect(() => {
    if (!touched.current) fit();
    drawSoon();
  }, [drawn]);
  useEffect(drawSoon, [props.selected, props.marked, dark.value]);
  useEffect(fit, [props.fit]);

  const nearest = (event: MouseEvent): Drawn | null => {
    const element = canvas.current!;
    const box = element.getBoundingClientRect();
    const [x, y] = view.current.invert([event.clientX - box.left, event.clientY - box.top]);
    let best: Drawn | null = null;
    let closest = Math.max(18, 14 / view.current.k) ** 2;
    for (const d of nodes) {
      const far = (d.x - x) ** 2 + (d.y - y) ** 2;
      if (far < closest) [best, closest] = [d, far];
    }
    return best;
  };

  const onKey = (event: KeyboardEvent): void => {
    const at = nodes.find((d) => d.data.index === props.selected) ?? drawn;
    const siblings = at.parent?.children ?? [];
    const place = siblings.indexOf(at);
    const steps: Record<string, Drawn | undefined> = {
      ArrowUp: at.parent ?? undefined,
      ArrowDown: at.children?.reduce((a, b) => (b.data.n > a.data.n ? b : a)),
      ArrowLeft: siblings[place - 1],
      ArrowRight: siblings[place + 1],
      Home: drawn,
    };
    if (event.key in steps) {
      const next = steps[event.key];
      if (next) props.onSelect(next.data);
    } else if (event.key === "Enter") props.onToggle(at.data);
    else if (event.key === "+" || event.key === "-") {
      if (behaviour.current) {
        select(canvas.current!).call(behaviour.current.scaleBy, event.key === "+" ? 1.3 : 1 / 1.3);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <canvas
      ref={canvas}
      class="tree"
      tabIndex={0}
      role="application"
      aria-label={props.label}
      data-nodes={nodes.length}
      onKeyDown={onKey}
      onClick={(event) => {
        const found = nearest(event);
        if (found) props.onSelect(found.data);
      }}
      onDblClick={(event) => {
        const found = nearest(event);
        if (found) props.onToggle(found.data);
      }}
    />
  );
}

interface Painted {
  props: Props;
  nodes: Drawn[];
}

function paint(canvas: HTMLCanvasElement, view: ZoomTransform, { props, nodes }: Painted): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const [ink, soft, rule, accent, paper, warm] = [
    colour("--ink"),
    colour("--ink-soft"),
    colour("--limb"),
    colour("--accent"),
    colour("--card"),
    colour("--warm"),
  ];
  const scale = canvas.width / Math.max(1, canvas.clientWidth);
  context.direction = "ltr";
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale * view.k, 0, 0, scale * view.k, scale * view.x, scale * view.y);
  const [left, top] = view.invert([-60, -60]);
  const [right, bottom] = view.invert([canvas.clientWidth + 60, canvas.clientHeight + 120]);
  const blue = principal(props.root);
  const marked = props.marked;

  // Where a level is but a few points high nobody sees a curve, and lines are quicker.
  const curved = view.k >= 0.15 || nodes.length < 1500;
  const limbs = (which: (d: Drawn) => boolean, stroke: string, width: number): void => {
    context.beginPath();
    for (const d of nodes) {
      const above = d.parent;
      if (!above || !which(d)) continue;
      if (d.y < top || above.y > bottom) continue;
      if (Math.max(d.x, above.x) < left || Math.min(d.x, above.x) > right) continue;
      context.moveTo(above.x, above.y);
      if (curved) {
        const middle = (d.y + above.y) / 2;
        context.bezierCurveTo(above.x, middle, d.x, middle, d.x, d.y);
      } else context.lineTo(d.x, d.y);
    }
    context.strokeStyle = stroke;
    context.lineWidth = width / Math.max(view.k, 0.35);
    context.stroke();
  };
  if (curved) limbs((d) => !blue.has(d.data), rule, 1);
  else {
    context.strokeStyle = rule;
    context.lineWidth = 1 / 0.35;
    context.stroke(straightLimbs(nodes));
  }
  limbs((d) => blue.has(d.data), accent, 2.4);
  if (marked) limbs((d) => marked.has(d.data.index), warm, 3);

  const readable = view.k >= READABLE;
  const seen = nodes.filter((d) => d.x >= left && d.x <= right && d.y >= top && d.y <= bottom);
  const growth = Math.max(1, SMALLEST / view.k);
  const rim = 1.4 / Math.max(view.k, 0.5);
  // One path for each look: thousands of nodes are then a handful of strokes.
  const looks: [string, string, (d: Drawn) => boolean][] = [
    [paper, soft, (d) => d.data.player === 0],
    [soft, soft, (d) => d.data.player !== 0],
    [accent, accent, (d) => blue.has(d.data)],
    [warm, warm, (d) => marked?.has(d.data.index) ?? false],
  ];
  const lookOf = (d: Drawn): number => {
    for (let look = looks.length - 1; look > 0; look--) if (looks[look]![2](d)) return look;
    return 0;
  };
  const paths = looks.map(() => new Path2D());
  const specks = looks.map(() => new Path2D());
  for (const d of seen) {
    const r = radius(d.data, props.root) * growth;
    const look = lookOf(d);
    if (r * view.k < 1.6) specks[look]!.rect(d.x - r, d.y - r, 2 * r, 2 * r);
    else {
      paths[look]!.moveTo(d.x + r, d.y);
      paths[look]!.arc(d.x, d.y, r, 0, 2 * Math.PI);
    }
  }
  context.lineWidth = rim;
  looks.forEach(([fill, stroke], look) => {
    // Of what is hardly a point high nobody sees a rim.
    context.fillStyle = stroke;
    context.fill(specks[look]!);
    context.fillStyle = fill;
    context.fill(paths[look]!);
    context.strokeStyle = stroke;
    context.stroke(paths[look]!);
  });
  for (const d of seen) {
    const spot = d.data;
    const r = radius(spot, props.root) * growth;
    if (props.collapsed.has(spot.index) && spot.children.length) {
      context.beginPath();
      context.moveTo(d.x - 6, d.y + r + 4);
      context.lineTo(d.x + 6, d.y + r + 4);
      context.lineTo(d.x, d.y + r + 10);
      context.fillStyle = soft;
      context.fill();
    }
    if (spot.index === props.selected) {
      context.beginPath();
      context.arc(d.x, d.y, r + 4, 0, 2 * Math.PI);
      context.strokeStyle = ink;
      context.lineWidth = 2 / Math.max(view.k, 0.5);
      context.stroke();
    }
    if (readable) label(context, d, r, props.name(spot), ink, soft, paper);
  }
  if (readable) return;
  const rank = (d: Drawn): number => {
    const foremost = blue.has(d.data) || marked?.has(d.data.index);
    return (foremost ? 2 : 0) + d.data.n / Math.max(1, props.root.n);
  };
  const taken: Box[] = [];
  const named = seen.filter((each) => rank(each) >= NAMED).sort((a, b) => rank(b) - rank(a));
  for (const d of named.slice(0, MOST_NAMED)) {
    const r = radius(d.data, props.root) * growth;
    beside(context, d, r, props.name(d.data), [ink, soft, paper], view.k, taken);
  }
}

const straight = new WeakMap<Drawn[], Path2D>();

/** All limbs as one path of lines, made once for each tree: from afar most of them are seen. */
function straightLimbs(nodes: Drawn[]): Path2D {
  const known = straight.get(nodes);
  if (known) return known;
  const path = new Path2D();
  for (const d of nodes) {
    if (!d.parent) continue;
    path.moveTo(d.parent.x, d.parent.y);
    path.lineTo(d.x, d.y);
  }
  straight.set(nodes, path);
  return path;
}

/** So many at most. */
const MOST_NAMED = 40;
/** Nodes with this share of the visits are named where there is no room for all. */
const NAMED = 0.05;
/** Left, right and height on the screen, of one line. */
type Box = [number, number, number];

/** Name, N and Q in one line to the right, of the size of the screen's text at any zoom: as much of
 * it as the words that are there already leave room for. */
function beside(
  context: CanvasRenderingContext2D,
  d: Drawn,
  r: number,
  name: string,
  [ink, soft, paper]: [string, string, string],
  zoom: number,
  taken: Box[],
): void {
  const parts: [string, string, string][] = [
    ["600 11px system-ui, sans-serif", name, ink],
    ["10px system-ui, sans-serif", ` ${short(d.data.n)} · ${signed(d.data.q, 2)}`, soft],
  ];
  const [start, height] = [(d.x + r) * zoom + 4, d.y * zoom];
  const free = (end: number): boolean =>
    taken.every(([left, right, y]) => end < left || right < start || Math.abs(y - height) > 12);
  context.save();
  context.translate(d.x + r, d.y);
  context.scale(1 / zoom, 1 / zoom);
  context.textAlign = "left";
  let x = 0;
  for (const [font, text, fill] of parts) {
    context.font = font;
    const { width } = context.measureText(text);
    if (!free(start + x + width)) break;
    context.globalAlpha = 0.85;
    context.fillStyle = paper;
    context.fillRect(4 + x, -6, width, 12);
    context.globalAlpha = 1;
    context.fillStyle = fill;
    context.fillText(text, 4 + x, 4);
    x += width;
  }
  if (x > 0) taken.push([start, start + x, height]);
  context.restore();
}

function label(
  context: CanvasRenderingContext2D,
  d: Drawn,
  r: number,
  name: string,
  ink: string,
  soft: string,
  paper: string,
): void {
  const { n, q } = d.data;
  const lines: [string, string, string][] = [
    ["600 11px system-ui, sans-serif", name, ink],
    ["9.5px system-ui, sans-serif", `N ${n}`, soft],
    ["9.5px system-ui, sans-serif", `${d.data.parent ? "Q" : "V"} ${fixed(q)}`, soft],
  ];
  const shown = lines.filter(([, text]) => text !== "");
  context.textAlign = "center";
  // Limbs pass behind the words, as behind a card.
  context.fillStyle = paper;
  context.globalAlpha = 0.88;
  context.fillRect(d.x - 21, d.y + r + 3, 42, 11 * shown.length + 2);
  context.globalAlpha = 1;
  shown.forEach(([font, text, fill], i) => {
    context.font = font;
    context.fillStyle = fill;
    context.fillText(text, d.x, d.y + r + 12 + 11 * i);
  });
}
