import { WebSocket } from 'ws';
import { type ConnectOptions, connect, type Robot, type RobotEvent } from '../../clients/typescript/src/index.ts';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from './auth.ts';
import { startTestService, type TestService } from './service.ts';

/** How events and jog travel: as in browsers and newer Nodes, and as in Node 20. */
export const TRANSPORTS: [string, ConnectOptions['WebSocket']][] = [
  ['a WebSocket', WebSocket],
  ['requests alone', null],
];

/** A service on TCP that knows the keys `rk_admin`, `rk_user` and `rk_other`, and clients of it. */
export class ClientWorld {
  readonly keys = new FakeKeyStore([
    keyRecord('admin', 'ADMIN'),
    keyRecord('user', 'USER'),
    keyRecord('other', 'ADMIN'),
  ]);
  readonly #settings: Record<string, string>;
  readonly #robots: Robot[] = [];
  readonly #clock: () => number;
  service!: TestService;

  constructor(settings: Record<string, string> = {}, clock: () => number = Date.now) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Starts the service; again on the same port. */
  async start(): Promise<this> {
    const port = this.service === undefined ? '0' : new URL(this.service.url).port;
    const settings = { ...this.#settings, SERVICE_PORT: port, SERVICE_EVENTS_PORT: '' };
    this.service = await startTestService({ settings, clock: this.#clock, given: [give(keyStore, this.keys)] });
    return this;
  }

  async connect(key: string, options: Partial<ConnectOptions> = {}): Promise<Robot> {
    const credentials = options.token === undefined ? { key: `rk_${key}` } : {};
    const robot = await connect(this.service.url, { ...credentials, ...options });
    this.#robots.push(robot);
    return robot;
  }

  async stop(): Promise<void> {
    for (const robot of this.#robots) robot.close();
    await this.service.stop();
  }
}

/** Collects events until the signal, or until they end with an error. */
export function collect(robot: Robot, topics: string[], signal?: AbortSignal) {
  const events: RobotEvent[] = [];
  const ended = (async () => {
    for await (const event of robot.events(topics, { signal, interruptions: true })) events.push(event);
  })();
  ended.catch(() => undefined);
  return { events, ended };
}
