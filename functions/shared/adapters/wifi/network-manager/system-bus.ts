import type { EventEmitter } from 'node:events';
import { DBusError, Message, type MessageBus, MessageType, sessionBus, Variant } from '@jellybrick/dbus-next';

/** The only file that knows the D-Bus library: calls, signals and plain values, no introspection. */

/** A D-Bus value with its signature, as a{sv} dictionaries need it. */
export type Typed = Variant;
export const typed = (signature: string, value: unknown): Typed => new Variant(signature, value);

/** A call that failed. `reason` is the D-Bus error name, or one of the names below for what never reached the other side. */
export class BusError extends Error {
  override readonly name = 'BusError';
  readonly reason: string;
  /** What the other side wrote; of a call that carried secrets only the setting it names, since a text may echo its input. */
  readonly text: string;

  constructor(reason: string, text: string, member: string) {
    super(text === '' ? `${member}: ${reason}` : `${member}: ${reason}: ${text}`);
    this.reason = reason;
    this.text = text;
  }
}

/** {@link BusError.reason} of a bus that cannot be reached or has gone. */
export const BUS_GONE = 'robot-rest.BusGone';
/** {@link BusError.reason} of a call that was not answered in time. */
export const NO_ANSWER = 'robot-rest.NoAnswer';
/** {@link BusError.reason} of a call the library could not write. */
const NOT_SENT = 'robot-rest.NotSent';

/** A setting as NetworkManager's validation names it, `802-1x.identity`. */
const SETTING = /^(?:connection|802-11-wireless|802-11-wireless-security|802-1x|ipv4|ipv6)\.[a-z0-9-]+(?=:|,)/;

export interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
  /** The body holds a secret: of the text of a failure only the name of a setting is kept. */
  readonly secret?: true;
}

export interface BusSignal {
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly unknown[];
}

const CALL_LIMIT_MS = 25_000;
const CONNECT_LIMIT_MS = 5_000;
const STANDARD_ADDRESS = 'unix:path=/var/run/dbus/system_bus_socket';

/** One connection to the system bus. Made for one piece of work and closed after it, so there is nothing to re-connect. */
export class SystemBus {
  readonly #bus: MessageBus;
  readonly #gone: Promise<never>;
  readonly #listeners = new Set<(signal: BusSignal) => void>();
  #end: (error: BusError) => void = () => undefined;

  private constructor(bus: MessageBus) {
    this.#bus = bus;
    this.#gone = new Promise((_resolve, reject) => {
      this.#end = reject;
    });
    this.#gone.catch(() => undefined); // each call races it; without a call nobody needs to know
    bus.on('message', (message) => this.#hear(message));
    // as: its types leave out 'error', and that its inner connection alone hears the end and leaves open calls unsettled
    const emitter = bus as unknown as EventEmitter & { _connection: EventEmitter };
    emitter.on('error', (error: Error) => this.#end(new BusError(BUS_GONE, error.message, 'connection')));
    emitter._connection.on('end', () => this.#end(new BusError(BUS_GONE, 'the bus closed', 'connection')));
  }

  /**
   * Connects and authenticates (EXTERNAL).
   * @param address of the bus, `unix:path=…`; without one the standard system bus.
   * @throws BusError `BUS_GONE` when there is no bus, `NO_ANSWER` after 5 s.
   */
  static async connect(address: string = STANDARD_ADDRESS): Promise<SystemBus> {
    // The library's systemBus() reads the environment by itself; this one takes the address it is given.
    const bus = new SystemBus(sessionBus({ busAddress: address, authMethods: ['EXTERNAL'] }));
    const connected = new Promise<void>((resolve) => bus.#bus.once('connect', resolve));
    try {
      await within(CONNECT_LIMIT_MS, Promise.race([connected, bus.#gone]), 'connection');
    } catch (error) {
      bus.close();
      throw error;
    }
    return bus;
  }

  /**
   * One method call; the answer's values with every variant unwrapped, byte arrays as Buffers.
   * @throws BusError with the D-Bus error name as `reason`, or `BUS_GONE`, or `NO_ANSWER` after 25 s.
   */
  async call({ secret, ...call }: BusCall): Promise<readonly unknown[]> {
    const message = new Message({ ...call, body: [...(call.body ?? [])] });
    const answered = this.#bus.call(message).catch((error: unknown) => {
      if (error instanceof BusError) throw error;
      const reason = error instanceof DBusError ? error.type : NOT_SENT;
      const text = error instanceof Error ? error.message : '';
      throw new BusError(reason, secret ? (SETTING.exec(text)?.[0] ?? '') : text, call.member);
    });
    const reply = await within(CALL_LIMIT_MS, Promise.race([answered, this.#gone]), call.member);
    return (reply?.body ?? []).map(plain);
  }

  /** Asks the bus for the signals of this rule; they come to every {@link listen}er until the bus is closed. */
  async match(rule: string): Promise<void> {
    const bus = {
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
    };
    await this.call({ ...bus, member: 'AddMatch', signature: 's', body: [rule] });
  }

  /** Calls back with every signal that arrives; the result ends it. */
  listen(listener: (signal: BusSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rejects with `BUS_GONE` when the connection is lost; never resolves. */
  get gone(): Promise<never> {
    return this.#gone;
  }

  close(): void {
    this.#end(new BusError(BUS_GONE, 'closed by this service', 'connection'));
    this.#bus.disconnect();
  }

  #hear(message: Message): void {
    if (message.type !== MessageType.SIGNAL) return;
    const { path, interface: from, member } = message;
    const signal = { path, interface: from, member, body: message.body.map(plain) };
    for (const listener of [...this.#listeners]) listener(signal);
  }
}

/** A value as the rest of the adapter sees it: no variants, at any depth. */
function plain(value: unknown): unknown {
  if (value instanceof Variant) return plain(value.value);
  if (Buffer.isBuffer(value) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

async function within<T>(milliseconds: number, work: Promise<T>, member: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new BusError(NO_ANSWER, 'no answer in time', member)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
