import { connection, send } from "./state";
import type { Request, ServerEvent } from "./wire";

/** Sends requests of one kind and hears their answers, never an older one after a newer one. */
export class Asker {
  private mine = new Set<number>();
  private newest = 0;
  private timer = 0;
  private stop: (() => void) | null = null;

  constructor(private readonly onAnswer: (event: ServerEvent) => void) {}

  listen(): () => void {
    this.stop = connection.listen((event) => {
      if (event.number < this.newest || !this.mine.has(event.number)) return;
      if (event.number > this.newest) {
        for (const old of this.mine) if (old < event.number) this.mine.delete(old);
        this.newest = event.number;
      }
      this.onAnswer(event);
    });
    return () => {
      window.clearTimeout(this.timer);
      this.stop?.();
    };
  }

  ask(request: Request): void {
    this.mine.add(send(request));
  }

  /** In place of all that was asked before: what is still answered of that is not heard. */
  askAnew(request: Request): void {
    this.mine.clear();
    this.ask(request);
  }

  /** `act` after a pause, so that a slider in motion asks once. */
  soon(act: () => void, pause = 120): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(act, pause);
  }
}
