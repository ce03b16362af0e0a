import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import type { Findings } from './findings.ts';

/** A request that takes longer counts as hanging. */
const TIMEOUT_MS = 60_000;

export interface Call {
  /** Kind of traffic, for the table and the findings. */
  readonly kind: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Record<string, unknown>;
  /** Expected statuses. */
  readonly expect?: readonly number[];
  /** Hangs up after this many ms, regardless of the response. */
  readonly hangUpAfter?: number;
  /** Reads one chunk of the response every this many ms. */
  readonly slowly?: number;
}

/** A client with one connection, kept alive if possible, and a token that it refreshes. */
export class Client {
  readonly id: number;
  readonly random: Random;
  token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #findings: Findings;

  constructor(id: number, { port, token, random, findings }: ClientWorld) {
    this.id = id;
    this.#port = port;
    this.token = token;
    this.random = random;
    this.#findings = findings;
  }

  /** The response body as text; undefined if this client hung up or the response was unexpected. */
  async send(call: Call): Promise<string | undefined> {
    const expected = call.expect ?? [200];
    const hangUp = call.hangUpAfter === undefined ? undefined : AbortSignal.timeout(call.hangUpAfter);
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const signal = hangUp === undefined ? limit : AbortSignal.any([hangUp, limit]);
    try {
      const response = await this.#open(call, signal);
      const text = await read(response, call.slowly);
      const status = response.statusCode ?? 0;
      this.#findings.answered(call.kind, status, expected.includes(status), text);
      return expected.includes(status) ? text : undefined;
    } catch (error) {
      if (hangUp?.aborted && !limit.aborted) this.#findings.hungUp(call.kind);
      else this.#findings.broken(call.kind, limit.aborted ? `no answer within ${TIMEOUT_MS} ms` : String(error));
      return undefined;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(call: Call, signal: AbortSignal): Promise<IncomingMessage> {
    const { method = 'GET', path, headers = {}, body } = call;
    const payload = typeof body === 'object' ? JSON.stringify(body) : body;
    return new Promise((resolve, reject) => {
      request({
        agent: this.#agent,
        host: '127.0.0.1',
        port: this.#port,
        method,
        path,
        signal,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
          ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
          ...headers,
        },
      })
        .once('response', resolve)
        .on('error', reject)
        .end(payload);
    });
  }
}

export interface ClientWorld {
  readonly port: number;
  readonly token: string;
  readonly random: Random;
  readonly findings: Findings;
}

async function read(response: IncomingMessage, slowly: number | undefined): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    // Large responses are only counted, to keep the memory of this program small.
    if (chunks.length < 64) chunks.push(chunk);
    if (slowly !== undefined) await pause(slowly);
  }
  return Buffer.concat(chunks).toString('utf8');
}
