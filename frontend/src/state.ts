import { computed, effect, signal } from "@preact/signals";
import { namesAnother, showPosition, wantedGame, wantedSetting, watchAddress } from "./address";
import { Connection } from "./socket";
import type {
  ClockState,
  Counted,
  Game,
  Judgement,
  Position,
  Report,
  Request,
  SearchTree,
  ServerEvent,
  Welcome,
  Working,
} from "./wire";

export const online = signal(false);
export const welcome = signal<Welcome | null>(null);
export const game = signal<Game | null>(null);
export const position = signal<Position | null>(null);
export const report = signal<Report | null>(null);
export const judgements = signal<Record<number, Judgement>>({});
export const working = signal<Working>({ type: "working", number: 0, work: null, done: 0, total: 0 });
export const clock = signal<{ state: ClockState; at: number } | null>(null);
export const tree = signal<SearchTree | null>(null);
export const counted = signal<Counted | null>(null);
export const notice = signal<string | null>(null);

export const size = computed(() => ({
  width: game.value?.width ?? 9,
  height: game.value?.height ?? 9,
}));
export const analysing = computed(() => working.value.work === "analyse");
/** The report if it is about the position shown. */
export const shownReport = computed(() =>
  report.value !== null && report.value.node === position.value?.node ? report.value : null,
);

export const connection = new Connection((open) => {
  online.value = open;
});

export const send = (request: Request): number => connection.send(request);

let adopted = false;

function adoptAddress(): void {
  const [g, p, hello] = [game.value, position.value, welcome.value];
  if (g === null || p === null || hello === null) return;
  const setting = wantedSetting(g, hello);
  if (namesAnother(g, p)) {
    const wanted = wantedGame();
    // Another game in this session stays where it is: the address gets a fresh one.
    if (g.nodes.length > 1 && !adopted) connection.change(null);
    send(wanted);
  } else showPosition(g, p);
  if (setting) send(setting);
  adopted = true;
}

function take(event: ServerEvent): void {
  switch (event.type) {
    case "welcome":
      welcome.value = event;
      game.value = null;
      report.value = null;
      break;
    case "game": {
      const known: Record<number, Judgement> = {};
      for (const node of event.nodes) if (node.judgement) known[node.id] = node.judgement;
      judgements.value = known;
      if (event.serial !== game.value?.serial) {
        report.value = null;
        tree.value = null;
        counted.value = null;
      }
      game.value = event;
      if (!event.has_clock) clock.value = null;
      break;
    }
    case "position":
      if (event.node !== position.value?.node) counted.value = null;
      position.value = event;
      if (!adopted) adoptAddress();
      else if (game.value) showPosition(game.value, event);
      break;
    case "report":
      report.value = event;
      break;
    case "judged":
      judgements.value = { ...judgements.value, ...event.nodes };
      break;
    case "working":
      working.value = event;
      break;
    case "clock":
      clock.value = { state: event, at: performance.now() };
      break;
    case "search_tree":
      tree.value = event;
      break;
    case "counted":
      counted.value = event;
      break;
    case "refused":
      notice.value = event.message;
      break;
  }
}

export function begin(): void {
  connection.listen(take);
  watchAddress(() => {
    adopted = false;
    adoptAddress();
  });
  connection.open();
  effect(() => {
    const message = notice.value;
    if (message === null) return;
    const timer = window.setTimeout(() => (notice.value = null), 9000);
    return () => window.clearTimeout(timer);
  });
}
