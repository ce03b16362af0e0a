import type { EventEmitter } from 'node:events';
import { DBusError, Message, type MessageBus, MessageType, sessionBus, Variant } from '@jellybrick/dbus-next';
import { within } from './within.ts';

/** The only file that uses the D-Bus library: calls, signals and plain values, no introspection. */

/** A D-Bus value with its signature, as a{sv} dictionaries need it. */
export type Typed = Variant;
export const typed = (signature: string, value: unknown): Typed => new Variant(signature, value);

/**
 * A failed call. `reason` is the D-Bus error name, or one of the names below if the call never reached the other side.
 */
export class BusError extends Error {
  override readonly name = 'BusError';
  readonly reason: string;
  /** The error text; for a call with secrets only the name of the setting, since the text may echo its input. */
  readonly text: string;

  constructor(reason: string, text: string, member: string) {
    super(text === '' ? `${member}: ${reason}` : `${member}: ${reason}: ${text}`);
    this.reason = reason;
    this.text = text;
  }
}

/** {@link BusError.reason} if the bus is unreachable or the connection was lost. */
export const BUS_GONE = 'robot-rest.BusGone';
/** {@link BusError.reason} if a call timed out. */
export const NO_ANSWER = 'robot-rest.NoAnswer';
/** {@link BusError.reason} if the library could not encode the call. */
const NOT_SENT = 'robot-rest.NotSent';

/** A setting as NetworkManager's validation names it, `802-1x.identity`. */
const SETTING = /^(?:connection|802-11-wireless|802-11-wireless-security|802-1x|ipv4|ipv6)\.[a-z0-9-]+(?=:|,)/;

interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
  /** The body contains a secret: error texts are reduced to the name of the setting. */
  readonly secret?: true;
}

export interface BusSignal {
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly unknown[];
}

const CALL_TIMEOUT_MS = 25_000;
const CONNECT_TIMEOUT_MS = 5_000;
const STANDARD_ADDRESS = 'unix:path=/var/run/dbus/system_bus_socket';

/** A connection to the system bus. Opened for one operation and closed after it, so it never reconnects. */
export class SystemBus {
  readonly #bus: MessageBus;
  readonly #gone: Promise<never>;
  readonly #listeners = new Set<(signal: BusSignal) => void>();
  #fail: (error: BusError) => void = () => undefined;

  private constructor(bus: MessageBus) {
    this.#bus = bus;
    this.#gone = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.#gone.catch(() => undefined); // every call races it; without a call the rejection does not matter
    bus.on('message', (message) => this.#handleMessage(message));
    // as: the types omit 'error' and the inner connection, which alone emits 'end'; pending calls would stay unsettled
    const emitter = bus as unknown as EventEmitter & { _connection: EventEmitter };
    emitter.on('error', (error: Error) => this.#fail(new BusError(BUS_GONE, error.message, 'connection')));
    emitter._connection.on('end', () => this.#fail(new BusError(BUS_GONE, 'the bus closed', 'connection')));
  }

  /**
   * Connects and authenticates (EXTERNAL).
   * @param address of the bus, `unix:path=…`; without one the standard system bus.
   * @throws BusError `BUS_GONE` when there is no bus, `NO_ANSWER` after 5 s.
   */
  static async connect(address: string = STANDARD_ADDRESS): Promise<SystemBus> {
    // Unlike systemBus(), which reads the environment, sessionBus() accepts an address.
    const bus = new SystemBus(sessionBus({ busAddress: address, authMethods: ['EXTERNAL'] }));
    const connected = new Promise<void>((resolve) => bus.#bus.once('connect', resolve));
    try {
      await withTimeout(Promise.race([connected, bus.#gone]), CONNECT_TIMEOUT_MS, 'connection');
    } catch (error) {
      bus.close();
      throw error;
    }
    return bus;
  }

  /**
   * Calls a method. The returned values have all variants unwrapped, and byte arrays as Buffers.
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
    const reply = await withTimeout(Promise.race([answered, this.#gone]), CALL_TIMEOUT_MS, call.member);
    return (reply?.body ?? []).map(unwrap);
  }

  /** Subscribes to the signals of a match rule. They go to every {@link listen}er until the bus is closed. */
  async match(rule: string): Promise<void> {
    const bus = {
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
    };
    await this.call({ ...bus, member: 'AddMatch', signature: 's', body: [rule] });
  }

  /** Calls back with every signal. @returns a function that unsubscribes. */
  listen(listener: (signal: BusSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rejects with `BUS_GONE` when the connection is lost; never resolves. */
  get gone(): Promise<never> {
    return this.#gone;
  }

  close(): void {
    this.#fail(new BusError(BUS_GONE, 'closed by this service', 'connection'));
    this.#bus.disconnect();
  }

  #handleMessage(message: Message): void {
    if (message.type !== MessageType.SIGNAL) return;
    const { path, interface: from, member } = message;
    const signal = { path, interface: from, member, body: message.body.map(unwrap) };
    for (const listener of [...this.#listeners]) listener(signal);
  }
}

/** Unwraps variants at any depth. */
function unwrap(value: unknown): unknown {
  if (value instanceof Variant) return unwrap(value.value);
  if (Buffer.isBuffer(value) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(unwrap);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unwrap(member)]));
}

/** @throws BusError `NO_ANSWER` after `timeoutMs`. */
function withTimeout<T>(work: Promise<T>, timeoutMs: number, member: string): Promise<T> {
  return within(work, timeoutMs, () => {
    throw new BusError(NO_ANSWER, 'timed out', member);
  });
}
