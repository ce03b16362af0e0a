import { badAnswer, connectionLost, isObject } from './errors.ts';
import { type ServerMessage, ServiceSocket, type WebSocketConstructor } from './service-socket.ts';
import type { Session } from './session.ts';
import { SseParser } from './sse.ts';

/** More messages that nobody reads end the connection; they are fetched again later. */
const MAX_WAITING = 2048;
/** The service sends a comment every 15 s. */
const STREAM_SILENCE_MS = 40_000;

/** Messages of one connection in their order: `subscribed`, `snapshot`, `event`, `gap`, `error`. */
export type Feed = AsyncGenerator<ServerMessage>;

/** Ends with an error when the connection does, or the signal says so. @throws RobotRestError. */
export function openFeed(
  session: Session,
  WebSocket: WebSocketConstructor | undefined,
  topics: readonly string[],
  after: string | undefined,
  signal: AbortSignal | undefined,
): Feed {
  return WebSocket ? socketFeed(session, WebSocket, topics, after, signal) : streamFeed(session, topics, after, signal);
}

async function* socketFeed(
  session: Session,
  WebSocket: WebSocketConstructor,
  topics: readonly string[],
  after: string | undefined,
  signal: AbortSignal | undefined,
): Feed {
  const socket = await ServiceSocket.open(session, WebSocket);
  const waiting: ServerMessage[] = [];
  let end: Error | undefined;
  let wake = () => {};
  const close = () => socket.close();
  signal?.addEventListener('abort', close);
  if (signal?.aborted) close();
  socket.onMessage = (message) => {
    waiting.push(message);
    if (waiting.length > MAX_WAITING) close();
    wake();
  };
  socket.onEnd = (error) => {
    end = error;
    wake();
  };
  socket.send({ type: 'subscribe', topics, ...(after === undefined ? {} : { after }) });
  try {
    for (;;) {
      const message = waiting.shift();
      if (message) yield message;
      else if (end) throw end;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

/** Where there is no WebSocket, in Node 20 for instance. */
async function* streamFeed(
  session: Session,
  topics: readonly string[],
  after: string | undefined,
  signal: AbortSignal | undefined,
): Feed {
  const abort = new AbortController();
  const close = () => abort.abort();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const headers = { Accept: 'text/event-stream', ...(after === undefined ? {} : { 'Last-Event-ID': after }) };
  const parser = new SseParser();
  for (const ended of [session.closed, signal]) ended?.addEventListener('abort', close);
  if (signal?.aborted) close();
  try {
    const path = `/api/v2/events?${new URLSearchParams({ topics: topics.join(',') })}`;
    for await (const piece of session.stream(path, headers, abort.signal)) {
      clearTimeout(timer);
      timer = setTimeout(close, STREAM_SILENCE_MS);
      for (const { event, data } of parser.feed(piece)) yield messageOf(event, data);
    }
    throw connectionLost();
  } finally {
    clearTimeout(timer);
    for (const ended of [session.closed, signal]) ended?.removeEventListener('abort', close);
    close();
  }
}

function messageOf(event: string, text: string): ServerMessage {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    data = undefined;
  }
  if (!isObject(data)) throw badAnswer('an event that is no object');
  return event === 'message' ? { type: 'event', event: data } : { ...data, type: event };
}
