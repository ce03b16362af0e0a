import { badAnswer, isObject, text, Unavailable } from './errors.ts';
import { type EventOptions, followEvents, type RobotEvent } from './events.ts';
import { segment } from './http.ts';
import { Control, Lease, type LeaseOptions } from './lease.ts';
import { Endings, Mission, messageOf, type Result, resultOf } from './missions.ts';
import type { components, paths } from './openapi.ts';
import {
  type AnyInput,
  callOperation,
  type HttpMethod,
  type InputOf,
  type OutputOf,
  type PathOf,
} from './operations.ts';
import type { WebSocketConstructor } from './service-socket.ts';
import { type Credentials, Session } from './session.ts';
import { type Stop, type StopOptions, Stopper } from './stop.ts';
import { type Row, Skills, Table, type Tables } from './tables.ts';
import type { AccessLevel, Token } from './token.ts';

export type Command = components['schemas']['CommandSpec'];

/** Commands that wait may take 10 minutes; platforms give up earlier, and a wait can be begun again. */
const COMMAND_TIMEOUT_MS = 240_000;
const WAIT = 'wait_for_';

export interface ConnectOptions extends Credentials {
  /** Of a robot behind a fleet's service. */
  readonly robotId?: string | undefined;
  /**
   * For events and jog; by default that of the platform. Without one (Node 20) events come as server-sent events, and a
   * jog is a request for each frame. The class `WebSocket` of the package `ws` fits; `null`: none.
   */
  readonly WebSocket?: WebSocketConstructor | null | undefined;
  /** Called with each new token, to hand it to siblings of this client. */
  readonly onToken?: ((token: Token) => void) | undefined;
  /** Called once the token is no longer valid, and no other can be had. */
  readonly onSignedOut?: ((error: Error) => void) | undefined;
}

/**
 * A connection to one robot. `url` is that of the service, `https://robot.local:8443`, or relative to the page.
 * @throws RobotRestError: AuthError, Unavailable; TypeError.
 */
export async function connect(url: string | URL, options: ConnectOptions): Promise<Robot> {
  const session = new Session(baseUrl(url, options.robotId), options);
  const { onToken, onSignedOut, WebSocket = platformWebSocket() } = options;
  if (onToken) session.tokenListeners.add(onToken);
  if (onSignedOut) session.refusalListeners.add(onSignedOut);
  const stopper = new Stopper(session);
  await session.open();
  const robot = new Robot(session, stopper, WebSocket ?? undefined);
  try {
    await Promise.all([stopper.learn(), robot.commands().catch(ignoreUnavailable)]);
    return robot;
  } catch (error) {
    robot.close();
    throw error;
  }
}

/** Made by {@link connect}. */
export class Robot {
  readonly skills: Skills;
  readonly #session: Session;
  readonly #stopper: Stopper;
  readonly #control: Control;
  readonly #endings: Endings;
  #catalogue: ReadonlyMap<string, Command> = new Map();

  constructor(session: Session, stopper: Stopper, WebSocket: WebSocketConstructor | undefined) {
    this.#session = session;
    this.#stopper = stopper;
    this.#control = new Control(session, WebSocket);
    this.#endings = new Endings(this.#control);
    this.skills = new Skills(session);
  }

  /** By which the service knows this client; missions and the lease belong to it. */
  get clientId(): string {
    return this.#session.token?.clientId ?? '';
  }

  get accessLevel(): AccessLevel {
    return this.#session.token?.accessLevel ?? 'USER';
  }

  /** Ends everything that is open; a lease lapses. The robot goes on with what it does otherwise. */
  close(): void {
    this.#session.close();
  }

  /** Refreshes the token if that is overdue: call it when a page becomes visible again. */
  wake(): void {
    this.#session.wake();
  }

  /** What the robot can do at present. */
  async commands(): Promise<Command[]> {
    const { commands } = (await this.#session.request('GET', '/api/v2/commands/')).object();
    if (!Array.isArray(commands) || !commands.every(isCommand)) throw badAnswer('no catalogue');
    this.#catalogue = new Map(commands.map((command) => [command.name, command]));
    return commands;
  }

  /**
   * Sends a command of the catalogue, under the lease if there is one. Giving up does not stop the robot.
   * @throws RobotRestError: Declined if the robot does not do it, Stopped, LeaseHeld, LeaseLost, ValidationFailed, Unavailable.
   */
  async command(name: string, value?: unknown, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Result> {
    const known = this.#catalogue.get(name);
    return this.#endings.watch(name, known?.motion, value, this.#send(name, value, signal));
  }

  /** Starts a skill of the robot. @throws Declined if it does not know it, or not with these arguments. */
  async skill(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Mission> {
    return this.mission(await this.command('skill', { ...args, name }));
  }

  /** The mission that a command has begun (a drive answers with its id), or that has this id. @throws TypeError. */
  mission(of: Result | string): Mission {
    const id = typeof of === 'string' ? of : messageOf(of.result);
    if (id === undefined) throw new TypeError("The robot's answer names no mission.");
    return new Mission(id, (name, value, signal) => this.command(name, value, { signal }));
  }

  /**
   * Stops all motion, and ends every mission and run. It is sent to the service and its guard at once, and again every
   * 250 ms, until one of them confirms; it waits for nothing else, and needs no lease. Only the resolved promise says that
   * the robot stands. It is not a certified emergency stop.
   * @throws RobotRestError if it is refused for good, or the signal gives up: use the hardware stop.
   */
  async stop(options: StopOptions = {}): Promise<Stop> {
    this.#endings.stops += 1;
    return this.#stopper.stop(options);
  }

  /** Control of the robot for this client alone. @throws LeaseHeld if somebody else holds it; RobotRestError. */
  async lease(options: LeaseOptions = {}): Promise<Lease> {
    return new Lease(this.#control, options).acquire();
  }

  /** Runs it under a lease, which is returned afterwards; if it throws, the lease lapses, and what it began ends. */
  async withLease<T>(options: LeaseOptions, run: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.lease(options);
    let result: T;
    try {
      result = await run(lease);
    } catch (error) {
      await lease.abandon().catch(() => undefined);
      throw error;
    }
    await lease.release();
    return result;
  }

  /**
   * Events of these topics as they happen, after a snapshot of each. Interruptions are bridged: what was missed comes
   * late, and if it cannot, a {@link Gap} says so.
   */
  events(topics: readonly string[], options: EventOptions = {}): AsyncGenerator<RobotEvent> {
    if (topics.length === 0) throw new TypeError('Name at least one topic.');
    return followEvents(this.#session, this.#control.WebSocket, topics, options);
  }

  /** A table of the robot's database. */
  table<Name extends keyof Tables>(name: Name): Table<Tables[Name]>;
  table(name: string): Table<Row>;
  table(name: string): Table<Row> {
    return new Table(this.#session, name);
  }

  /** Any operation that takes and answers JSON, checked by the compiler. @throws RobotRestError. */
  async call<M extends HttpMethod, P extends PathOf<M>>(
    method: M,
    path: P,
    ...input: CallInput<P, M>
  ): Promise<OutputOf<P, M>> {
    const given: AnyInput = (input[0] ?? {}) as AnyInput; // as: the same, seen without its names
    const answer = await callOperation(this.#session, method, path, given);
    return answer as OutputOf<P, M>; // as: the document, and tests of the service, say so
  }

  async #send(name: string, value: unknown, signal: AbortSignal | undefined): Promise<Result> {
    const { lease } = this.#control;
    const waits = name.startsWith(WAIT) || this.#catalogue.get(name)?.waits === true;
    try {
      const answer = await this.#session.request('POST', `/api/v2/commands/${segment(name)}/`, {
        json: value === undefined ? {} : { value },
        headers: lease ? { Lease: lease.id } : {},
        timeoutMs: COMMAND_TIMEOUT_MS,
        lane: waits ? 'wait' : 'normal',
        signal,
      });
      return resultOf(answer.object());
    } catch (error) {
      lease?.fail(error);
      throw error;
    }
  }
}

type CallInput<P extends keyof paths, M extends HttpMethod> =
  Record<string, never> extends InputOf<P, M> ? [input?: InputOf<P, M>] : [input: InputOf<P, M>];

function baseUrl(url: string | URL, robotId: string | undefined): URL {
  const page = (globalThis as { document?: { baseURI: string } }).document?.baseURI; // as: absent in Node
  const base = new URL(url, page);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('The url begins with http:// or https://.');
  if (base.username || base.password) throw new TypeError('The url has no user; the key is given as `key`.');
  base.search = base.hash = '';
  const path = base.pathname.replace(/\/*$/, '/');
  base.pathname = robotId === undefined ? path : `${path}${segment(robotId)}/rest/`;
  return base;
}

function platformWebSocket(): WebSocketConstructor | undefined {
  return (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket; // as: absent in Node 20
}

function isCommand(value: unknown): value is Command {
  return isObject(value) && text(value.name) !== undefined;
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof Unavailable) || error.code === 'bad_answer') throw error; // the robot may come later
}
