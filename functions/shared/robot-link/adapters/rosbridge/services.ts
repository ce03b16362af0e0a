import { ServiceError } from '../../../errors.ts';
import { Calls } from '../../../kit/calls.ts';
import type { JsonObject, JsonValue } from '../../../kit/json.ts';
import { robotUnavailable } from '../robot-errors.ts';
import type { Connections, Lane } from './connections.ts';

/** Most commands that wait for an answer at once. */
const MAX_PENDING = 1000;
const MAX_REASON_LENGTH = 300;
/** A service that is nowhere. */
const ABSENT_SERVICE = '/robot_rest/is_anybody_listening';

export interface ServiceRequest {
  readonly service: string;
  readonly type?: string | undefined;
  readonly args: JsonValue;
}

/** Calls of services (rosbridge protocol, sections 3.3.8 and 3.3.9). */
export class Services {
  readonly #connections: Connections;
  readonly #motions = new Set<Promise<unknown>>();
  readonly #calls: Readonly<Record<Lane, Calls<JsonObject>>> = {
    ordinary: new Calls(),
    urgent: new Calls(),
    blocking: new Calls(),
    jog: new Calls(),
  };

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /**
   * Calls a service as a command that arrived then. The answer as it came.
   * @throws ServiceError `robot_unavailable`, also when too many wait already; what {@link Connections.sendCommand}
   * throws, or the signal's reason.
   */
  call(request: ServiceRequest, arrivedAt: number | undefined, signal: AbortSignal): Promise<JsonObject> {
    if (this.#calls.ordinary.size >= MAX_PENDING) {
      throw robotUnavailable(
        'Too many commands are already pending for the robot; this one was not sent. Send it again once some of them have been answered.',
      );
    }
    const send = (id: string) => this.#connections.sendCommand(message(id, request), arrivedAt);
    const answer = this.#calls.ordinary.ask(send, signal);
    if (arrivedAt !== undefined) this.#noteMotion(answer);
    return answer;
  }

  get motionUnderWay(): boolean {
    return this.#motions.size > 0;
  }

  /** Settles when every call that moves the robot and is under way now has its answer, or never will. */
  async motionAnswered(): Promise<void> {
    await Promise.allSettled(this.#motions);
  }

  /**
   * Calls a service beside all commands. Asks again over a new connection when a later stop has ended the old one.
   * @throws ServiceError `robot_unavailable` when the link is down; or the signal's reason.
   */
  async callBeside(request: ServiceRequest, signal: AbortSignal): Promise<JsonObject> {
    const { blocking, urgent } = this.#connections;
    const send = (id: string) => blocking.sendUrgently(message(id, request));
    for (;;) {
      if (urgent.connected) await blocking.whenOpen(signal);
      try {
        return await this.#calls.blocking.ask(send, signal);
      } catch (error) {
        if (signal.aborted || blocking.connected || !urgent.connected) throw error;
      }
    }
  }

  /** Whether a call made by {@link callBeside} has been waiting for so long. */
  isBlocked(ms: number): boolean {
    return this.#calls.blocking.longestWait() > ms;
  }

  /**
   * Resolves when the server has looked at everything that was sent before on a connection: it answers the call of a
   * service that does not exist at once, but in its turn. (A ping it answers out of turn.)
   */
  async roundTrip(lane: Lane, signal: AbortSignal): Promise<void> {
    const send = (id: string) =>
      this.#connections.of(lane).sendUrgently(message(id, { service: ABSENT_SERVICE, args: {} }));
    try {
      await this.#calls[lane].ask(send, signal);
    } catch (error) {
      // A server that reports errors as status messages answers with one of those first.
      if (!(error instanceof ServiceError && error.code === 'robot_error')) throw error;
    }
  }

  #noteMotion(answer: Promise<unknown>): void {
    this.#motions.add(answer);
    const forget = () => void this.#motions.delete(answer);
    answer.then(forget, forget);
  }

  answered(id: string, answer: JsonObject): void {
    for (const calls of Object.values(this.#calls)) calls.settle(id, answer);
  }

  /** The server refuses the call with this id. */
  refused(id: string, error: ServiceError): void {
    for (const calls of Object.values(this.#calls)) calls.fail(id, error);
  }

  lost(lane: Lane, error: ServiceError): void {
    this.#calls[lane].failAll(error);
  }

  /** What the service answered. @throws ServiceError `robot_error` when it failed. */
  valuesOf(service: string, { result, values = null }: JsonObject): JsonValue {
    if (result !== false) return values;
    const reason = typeof values === 'string' && values !== '' ? values : 'the robot does not say why';
    throw refusal(`The service ${service} failed: ${reason}`);
  }
}

/** `robot_error` in the robot's own words, cut to a line that can be read; further ones tell of its inside. */
export function refusal(sentence: string): ServiceError {
  const [line = ''] = sentence.split('\n', 1);
  const short = line.length > MAX_REASON_LENGTH ? `${line.slice(0, MAX_REASON_LENGTH)}…` : line;
  return new ServiceError('robot_error', { detail: /[.!?…]$/.test(short) ? short : `${short}.` });
}

/** Whether a call failed since there is no such service; the servers of both generations say it in these words only. */
export function isAbsent({ result, values }: JsonObject): boolean {
  return result === false && typeof values === 'string' && values.includes('does not exist');
}

function message(id: string, { service, type, args }: ServiceRequest): JsonObject {
  return { op: 'call_service', id, service, args, ...(type !== undefined && { type }) };
}
