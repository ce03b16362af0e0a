import { once } from 'node:events';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { until } from './processes.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Message = any;

export interface EventClient {
  readonly socket: WebSocket;
  /** Everything that has come so far. */
  readonly messages: Message[];
  send(message: unknown): void;
  /** The first message that fits, as soon as it is there. */
  next(what: string, fits: (message: Message) => boolean): Promise<Message>;
  events(): Message[];
  /** Code of the closing frame. */
  closed(): Promise<number>;
}

export interface ConnectOptions {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly path?: string;
  /** Whether a certificate must be trusted. */
  readonly rejectUnauthorized?: boolean;
}

/** `http://…` or the path of a Unix socket. */
export function openEvents(base: string, options: ConnectOptions = {}): EventClient {
  const { token, headers = {}, path = '/api/v2/events', rejectUnauthorized = true } = options;
  const url = base.startsWith('/') ? `ws+unix:${base}:${path}` : base.replace('http', 'ws') + path;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return clientOf(new WebSocket(url, { headers: { ...authorization, ...headers }, rejectUnauthorized }));
}

function clientOf(socket: WebSocket): EventClient {
  const messages: Message[] = [];
  let code: number | undefined;
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('error', () => undefined);
  socket.on('close', (closeCode) => {
    code = closeCode;
  });
  return {
    socket,
    messages,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next(what, fits) {
      await until(what, () => messages.some(fits));
      return messages.find(fits);
    },
    events: () => messages.filter(({ type }) => type === 'event').map(({ event }) => event),
    async closed() {
      await until('the connection is closed', () => code !== undefined, 30_000);
      return code as number;
    },
  };
}

/** Opens one that has subscribed. */
export async function subscribeEvents(
  base: string,
  topics: readonly string[],
  options: ConnectOptions & { readonly after?: string } = {},
): Promise<EventClient> {
  const client = openEvents(base, options);
  await once(client.socket, 'open');
  const after = options.after === undefined ? {} : { after: options.after };
  client.send({ type: 'subscribe', topics, ...after });
  await client.next('it has subscribed', ({ type }) => type === 'subscribed');
  return client;
}

/** Status and code with which a handshake was refused. */
export function refusedHandshake(client: EventClient): Promise<{ status: number; code: string }> {
  return new Promise((resolve, reject) => {
    client.socket.once('open', () => reject(new Error('It was not refused.')));
    client.socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code }));
    });
  });
}

export interface SseStream {
  text(): string;
  /** The data of messages with this name; `message` for CloudEvents. */
  named(name: string): Message[];
  lastId(): string | undefined;
  ended(): Promise<true>;
  close(): void;
}

/** A server-sent stream over TCP. */
export function openSse(
  base: string,
  topics: string,
  headers: Record<string, string>,
  prefix = '',
): Promise<SseStream> {
  return new Promise((resolve, reject) => {
    const url = new URL(`${prefix}/api/v2/events?topics=${topics}`, base);
    const sent = request(url, { headers, agent: false }, (response) => {
      let text = '';
      let ended = false;
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('close', () => {
        ended = true;
      });
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      resolve({
        text: () => text,
        named: (name) => messagesIn(text, name),
        lastId: () => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1],
        ended: () => until('the stream has ended', () => ended),
        close: () => sent.destroy(),
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

function messagesIn(text: string, name: string): Message[] {
  return text
    .split('\n\n')
    .filter((block) => (/^event: (.+)$/m.exec(block)?.[1] ?? 'message') === name)
    .flatMap((block) => {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      return data === undefined ? [] : [JSON.parse(data)];
    });
}
