import { Busy, badAnswer, errorFromProblem, isObject, text, Unavailable } from './errors.ts';
import { openFeed } from './feed.ts';
import type { ServerMessage, WebSocketConstructor } from './service-socket.ts';
import { isUnauthorized, type Session } from './session.ts';
import { sleep } from './time.ts';

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 5000;

/** Something that has happened: `type` is `robot.<topic>.<what>`. */
export interface HappenedEvent {
  readonly kind: 'event';
  /** May be given as `after`. */
  readonly id: string;
  readonly type: string;
  readonly topic: string;
  /** RFC 3339. */
  readonly time: string | undefined;
  /** Id of what it is about, of a mission for instance. */
  readonly subject: string | undefined;
  readonly data: unknown;
}

/** What is the case now, at the beginning and after a gap; `null` where a topic has nothing to show. */
export interface Snapshot {
  readonly kind: 'snapshot';
  readonly topic: string;
  readonly data: unknown;
}

/**
 * Events of these topics may be missing here: the service was restarted (`from` is null), or the interruption was longer
 * than it remembers. A snapshot of each topic that has one follows.
 */
export interface Gap {
  readonly kind: 'gap';
  readonly topics: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
}

/** The connection was lost, and is being restored; what happens meanwhile comes afterwards. */
export interface Interruption {
  readonly kind: 'interrupted';
  readonly error: Error;
}

export type RobotEvent = HappenedEvent | Snapshot | Gap | Interruption;

export interface EventOptions {
  /** Id of the last event that was seen: begin after it rather than with a snapshot. */
  readonly after?: string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** Also tell of interruptions. */
  readonly interruptions?: boolean | undefined;
}

/**
 * Events in their order, over as many connections as it takes; what was missed in between is fetched.
 *
 * @throws RobotRestError if the first connection fails, or the service refuses the topics or the token.
 */
export async function* followEvents(
  session: Session,
  WebSocket: WebSocketConstructor | undefined,
  topics: readonly string[],
  { after, signal, interruptions = false }: EventOptions,
): AsyncGenerator<RobotEvent> {
  let last = after;
  let connected = false;
  let failures = 0;
  let refusals = 0;
  while (!signal?.aborted) {
    const used = session.token;
    let followed: readonly unknown[] = [];
    try {
      for await (const message of openFeed(session, WebSocket, topics, last, signal)) {
        connected = true;
        failures = refusals = 0;
        const event = eventOf(message);
        if (message.type === 'subscribed') {
          last ??= text(message.position);
          followed = Array.isArray(message.topics) ? message.topics : [];
        }
        if (event?.kind === 'event') last = event.id;
        if (event) yield event;
      }
    } catch (error) {
      if (session.closed.aborted || signal?.aborted) return;
      if (isUnauthorized(error)) {
        refusals += 1;
        if (refusals > 1) throw error;
        await session.replaceToken(used, error);
      } else if (!connected || !isPassing(error, followed)) throw error;
      if (interruptions) yield { kind: 'interrupted', error: error as Error }; // as: it is one of ours
    }
    const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 8));
    failures += 1;
    await sleep(delay * (0.5 + Math.random() / 2), signal);
  }
}

/** A topic that is refused would be so again; one that was followed so far, and broke off, may come back. */
function isPassing(error: unknown, followed: readonly unknown[]): boolean {
  if (!(error instanceof Unavailable || error instanceof Busy)) return false;
  return error.problem.topic === undefined || followed.includes(error.problem.topic);
}

function eventOf(message: ServerMessage): RobotEvent | undefined {
  switch (message.type) {
    case 'event':
      return happened(message.event);
    case 'snapshot':
      return { kind: 'snapshot', topic: text(message.topic) ?? '', data: message.data };
    case 'gap': {
      const topics = Array.isArray(message.topics) ? message.topics.map(String) : [];
      return { kind: 'gap', topics, from: text(message.from) ?? null, to: text(message.to) ?? null };
    }
    case 'error':
      throw errorFromProblem(null, message);
    default:
      return undefined;
  }
}

function happened(event: unknown): HappenedEvent {
  if (!isObject(event)) throw badAnswer('an event that is no object');
  const { id, type, subject, time, data } = event;
  if (text(id) === undefined || text(type) === undefined) throw badAnswer('an event without type or id');
  const name = String(type);
  const topic = name.startsWith('robot.') ? name.slice('robot.'.length, name.lastIndexOf('.')) : name;
  return {
    kind: 'event',
    id: String(id),
    type: name,
    topic: topic === 'logs' ? `logs/${String(subject)}` : topic,
    time: text(time),
    subject: text(subject),
    data,
  };
}
