import { connection, send } from "./state";
import type { Request, ServerEvent } from "./wire";

/** Sends requests of one kind and hears the answers to the latest of them alone. */
export class Asker {
  private latest = -1;
  private timer = 0;
  private stop: (() => void) | null = null;

  constructor(private readonly onAnswer: (event: ServerEvent) => void) {}

  listen(): () => void {
    this.stop = connection.listen((event) => {
      if (event.number === this.latest && event.number !== 0) this.onAnswer(event);
    });
    return () => {
      window.clearTimeout(this.timer);
      this.stop?.();
    };
  }

  ask(request: Request): void {
    this.latest = send(request);
  }

  /** After a pause, so that a slider in motion asks once. */
  askSoon(request: Request, pause = 120): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(request), pause);
  }
}
