import { chmodSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Sender } from '../../functions/shared/robot-link/port.ts';
import { bindPath } from '../http/bind-path.ts';
import { type Act, Channel, type Hold, type Identity, type ToGuard, type ToHost } from './messages.ts';

/** How often the guard gives a sign of life. */
const SIGN_MS = 250;
/** How long an orphan may take to make way. */
const TAKE_OVER_MS = 2_000;
/** Only its owner may connect. Set before bind. */
const UMASK = 0o177;

interface Listener {
  connected(): void;
  identity(identity: Identity): void;
  holds(holds: readonly Hold[]): void;
  /** The service has heard of the act with this id. */
  heard(id: string): void;
  /** The service has gone: as it had said, or without a word. */
  gone(planned: boolean): void;
  /** The guard of a new host takes its place. */
  takenOver(): void;
  /** The service has another robot now, or another way to stop it. */
  outdated(): void;
}

interface Host {
  readonly channel: Channel<ToHost, ToGuard>;
  readonly pid: number;
  planned: boolean;
}

/** The guard's end of the private socket, over which one service at a time is guarded. */
export class HostChannel {
  readonly #path: string;
  readonly #robot: string;
  readonly #listener: Listener;
  readonly #server: Server;
  readonly #signs: NodeJS.Timeout;
  readonly #waiting = new Map<number, Array<(fenced: boolean) => void>>();
  #host: Host | undefined;
  #serving: (ToHost & { readonly type: 'serving' }) | undefined;

  /** @param robot see guardedRobot. */
  constructor(path: string, robot: string, listener: Listener) {
    this.#path = path;
    this.#robot = robot;
    this.#listener = listener;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#signs = setInterval(() => this.#host?.channel.send({ type: 'sign' }), SIGN_MS);
  }

  /**
   * Opens the socket, after an orphan has made way. @param pid the host that has started this guard, if one has.
   * @returns false if the guard there guards another service.
   */
  async open(pid: number | undefined): Promise<boolean> {
    if (!(await takeOver(this.#path, pid))) return false;
    await bindPath(this.#server, this.#path, UMASK);
    chmodSync(this.#path, 0o600);
    return true;
  }

  get hasHost(): boolean {
    return this.#host !== undefined;
  }

  /** Tells the present service, and each later one, where the guard serves. */
  serve(serving: Omit<ToHost & { readonly type: 'serving' }, 'type'>): void {
    this.#serving = { type: 'serving', ...serving };
    this.#host?.channel.send(this.#serving);
  }

  /** Tells the service, if there is one, what the guard has done. */
  tellAct(act: Act): void {
    this.#host?.channel.send({ type: 'act', act });
  }

  /** Tells the service of a stop. Settles with whether its fence has risen; at the latest after so many ms. */
  tell(word: number, sender: Sender | undefined, waitMs: number): Promise<boolean> {
    if (!this.#host) return Promise.resolve(false);
    this.#host.channel.send({ type: 'stop', word, ...(sender && { sender }) });
    return new Promise((resolve) => {
      const settle = (fenced: boolean) => {
        clearTimeout(timer);
        resolve(fenced);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(word);
        resolve(false);
      }, waitMs);
      this.#waiting.set(word, [...(this.#waiting.get(word) ?? []), settle]);
    });
  }

  /** Closes the socket; its file goes with it. */
  close(): void {
    clearInterval(this.#signs);
    this.#server.close();
    this.#host?.channel.socket.destroy();
  }

  #accept(socket: Socket): void {
    const channel = new Channel<ToHost, ToGuard>(socket, (message) => this.#receive(channel, message));
    socket.once('close', () => {
      if (this.#host?.channel !== channel) return;
      const { planned } = this.#host;
      this.#host = undefined;
      for (const settles of this.#waiting.values()) for (const settle of settles) settle(false);
      this.#waiting.clear();
      this.#listener.gone(planned);
    });
  }

  #receive(channel: Channel<ToHost, ToGuard>, message: ToGuard): void {
    if (message.type === 'take_over') this.#yield(channel, message.pid);
    else if (message.type === 'hello') this.#welcome(channel, message);
    if (this.#host?.channel !== channel) return;
    if (message.type === 'identity') this.#listener.identity(message);
    else if (message.type === 'holds') this.#listener.holds(message.holds);
    else if (message.type === 'heard') this.#listener.heard(message.id);
    else if (message.type === 'bye') this.#host.planned = true;
    else if (message.type === 'fenced') {
      for (const settle of this.#waiting.get(message.word) ?? []) settle(true);
      this.#waiting.delete(message.word);
    }
  }

  #welcome(channel: Channel<ToHost, ToGuard>, { pid, robot }: ToGuard & { readonly type: 'hello' }): void {
    if (this.#host) {
      channel.send({ type: 'in_use' });
      return;
    }
    if (robot !== this.#robot) {
      this.#listener.outdated();
      return;
    }
    this.#host = { channel, pid, planned: false };
    this.#listener.connected();
    channel.send({ type: 'sign' });
    if (this.#serving) channel.send(this.#serving);
  }

  /** A service that is guarded keeps its guard, unless it has started another one itself. */
  #yield(channel: Channel<ToHost, ToGuard>, pid: number): void {
    if (this.#host && this.#host.pid !== pid) {
      channel.send({ type: 'in_use' });
      return;
    }
    this.#listener.takenOver();
    channel.send({ type: 'yielded' });
  }
}

/** Makes the path free: of an orphan, which makes way, and of a file that nobody listens on. */
async function takeOver(path: string, pid: number | undefined): Promise<boolean> {
  const socket = connect(path);
  const isLive = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isLive) {
    removeIfThere(path);
    return true;
  }
  const yielded = await new Promise<boolean>((resolve) => {
    const channel = new Channel<ToGuard, ToHost>(socket, ({ type }) => {
      if (type === 'in_use') resolve(false);
    });
    // It closes its sockets before it goes.
    socket.once('close', () => resolve(true));
    setTimeout(() => resolve(false), TAKE_OVER_MS).unref();
    channel.send({ type: 'take_over', pid: pid ?? 0 });
  });
  socket.destroy();
  if (yielded) removeIfThere(path);
  return yielded;
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is not there, or bind says what is wrong.
  }
}
