import type { Request, ServerEvent } from "./wire";

type Listener = (event: ServerEvent) => void;

const SESSION = "honte.session";
const EARLIER = "honte.earlier";
const LONGEST_WAIT = 5000;

/** The connection to the server: it comes back by itself, to the same session. */
export class Connection {
  private socket: WebSocket | null = null;
  private listeners = new Set<Listener>();
  private next = 1;
  private wait = 300;
  private held: string[] = [];
  private retry = 0;

  constructor(private readonly onState: (open: boolean) => void) {}

  open(): void {
    const session = localStorage.getItem(SESSION) ?? "";
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const base = location.pathname.replace(/[^/]*$/, "");
    const socket = new WebSocket(
      `${scheme}://${location.host}${base}socket?session=${encodeURIComponent(session)}`,
    );
    this.socket = socket;
    socket.onopen = () => {
      this.wait = 300;
      this.onState(true);
    };
    socket.onmessage = (message) => this.receive(JSON.parse(message.data as string));
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.onState(false);
      this.retry = window.setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    };
  }

  /** Leave this session for a fresh one (null), or for another. */
  change(session: string | null): void {
    const old = localStorage.getItem(SESSION);
    if (old !== null) localStorage.setItem(EARLIER, old);
    if (session === null) localStorage.removeItem(SESSION);
    else localStorage.setItem(SESSION, session);
    window.clearTimeout(this.retry);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.open();
  }

  get earlier(): string | null {
    const earlier = localStorage.getItem(EARLIER);
    return earlier === localStorage.getItem(SESSION) ? null : earlier;
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Send a request; its number comes back in every answer to it. */
  send(request: Request): number {
    const number = this.next++;
    const text = JSON.stringify({ ...request, number });
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.held.push(text);
    return number;
  }

  private receive(event: ServerEvent): void {
    if (event.type === "welcome") {
      localStorage.setItem(SESSION, event.session);
      for (const text of this.held.splice(0)) this.socket?.send(text);
    }
    for (const listener of [...this.listeners]) listener(event);
  }
}
