import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectAsync, type MqttClient } from 'mqtt';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import type { TestBroker } from './mosquitto.ts';
import { ROOT } from './sources.ts';

/** A program that is a robot, and the interpreter that runs it. */
export interface RobotProgram {
  readonly python: string;
  readonly file: string;
}

const NEWEST_PAHO = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'robot-rest/paho-2/bin/python');
const EXAMPLE = join(ROOT, 'examples/robot-mqtt.py');

/** The example, by the paho-mqtt that it has to run with, and the same robot on the package robot_rest.robot. */
export const ROBOTS = {
  "Debian's paho-mqtt": { python: '/usr/bin/python3', file: EXAMPLE },
  'the newest paho-mqtt': { python: NEWEST_PAHO, file: EXAMPLE },
  'the package robot_rest.robot': { python: NEWEST_PAHO, file: join(ROOT, 'clients/python/tests/simulated_robot.py') },
} as const satisfies Record<string, RobotProgram>;

interface Line {
  /** ms since the epoch. */
  readonly at: number;
  readonly text: string;
}

/** A robot as a process of its own, and what it prints. */
export class PythonRobot {
  readonly #child: ChildProcess;
  readonly #lines: Line[] = [];
  readonly exited: Promise<number | null>;
  /** Printed without a time: usage errors and tracebacks. */
  readonly noise: string[] = [];

  constructor({ python, file }: RobotProgram, args: readonly string[], environment: Record<string, string> = {}) {
    const packages = join(ROOT, 'clients/python/src');
    const env = { PATH: process.env.PATH, PYTHONPATH: packages, ROBOT_PRINT_SPEED: '1', TZ: 'UTC', ...environment };
    this.#child = spawn(python, ['-B', file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    // `close` comes after the last line that it printed.
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null); // as: null after a signal
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (!stream) continue;
      createInterface(stream).on('line', (line) => {
        const [, day, time, ms, text = ''] = /^(\S{10}) (\S{8}),(\d{3}) (.*)$/.exec(line) ?? [];
        if (day === undefined) this.noise.push(line);
        else this.#lines.push({ at: Date.parse(`${day}T${time}.${ms}Z`), text });
      });
    }
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What it said, the speed apart. */
  said(): string[] {
    return this.#lines.map(({ text }) => text).filter((text) => !text.startsWith('speed '));
  }

  /** When it said so. */
  saidAt(text: string): number | undefined {
    return this.#lines.find((line) => line.text.startsWith(text))?.at;
  }

  /** The true speed of its base over time, in m/s. */
  speeds(): Array<{ readonly at: number; readonly speed: number }> {
    return this.#lines
      .filter(({ text }) => text.startsWith('speed '))
      .map(({ at, text }) => ({ at, speed: Number(text.slice(6)) }));
  }

  moves(): boolean {
    return (this.speeds().at(-1)?.speed ?? 0) >= 0.01;
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (!this.ended) this.#child.kill(signal);
    return this.exited;
  }
}

export interface RobotAnswer {
  readonly ok: boolean;
  readonly result?: JsonValue;
  readonly fence?: number;
  readonly declined?: string;
  readonly replaced?: boolean;
  readonly error?: { readonly code: string; readonly detail: string; readonly ran: string };
}

export interface Presence {
  readonly online: boolean;
  readonly session: string;
  readonly fence: number;
  readonly reason?: string;
  readonly [member: string]: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** Speaks to robot-1 as the service does, message by message, so that each member can be wrong. */
export class RobotCaller {
  readonly #client: MqttClient;
  readonly #waiting = new Map<string, (answer: RobotAnswer) => void>();
  /** Ids of all answers, in the order in which they came. */
  readonly answered: string[] = [];
  presence: Presence | undefined;
  presenceExpiry: number | undefined;

  static async join(broker: TestBroker): Promise<RobotCaller> {
    const client = await connectAsync(broker.url('service'), { protocolVersion: 5, reconnectPeriod: 50 });
    const caller = new RobotCaller(client);
    await client.subscribeAsync('robots/robot-1/answers/test');
    await client.subscribeAsync('robots/robot-1/presence', { qos: 1 });
    return caller;
  }

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('error', () => undefined);
    client.on('message', (topic, payload, { properties }) => {
      const message = JSON.parse(payload.toString('utf8'));
      if (topic.endsWith('/presence')) {
        this.presence = message;
        this.presenceExpiry = properties?.messageExpiryInterval;
        return;
      }
      this.answered.push(message.id);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  /** Sends a command; `more` overrides members of the message. */
  ask(command: string, value?: JsonValue, more: Members = {}): Promise<RobotAnswer> {
    return this.say('commands', { command, ...(value === undefined ? {} : { value }), sender: SENDER, ...more });
  }

  stop(more: Members = {}): Promise<RobotAnswer> {
    return this.say('stop', more);
  }

  say(branch: 'commands' | 'stop', members: Members): Promise<RobotAnswer> {
    const now = Date.now();
    const id = randomBytes(16).toString('base64url');
    const message = { v: 1, id, issued_at: now, deadline: now + 30_000, ...members };
    return new Promise((resolve) => {
      this.#waiting.set(message.id, resolve);
      const properties = { responseTopic: 'robots/robot-1/answers/test', correlationData: Buffer.from(message.id) };
      this.#client.publish(`robots/robot-1/${branch}`, JSON.stringify(message), { qos: 0, properties });
    });
  }

  /** These very bytes, with no address for an answer. */
  async sayRaw(branch: 'commands' | 'stop' | 'jog', text: string): Promise<void> {
    await this.#client.publishAsync(`robots/robot-1/${branch}`, text);
  }

  /** Dies without a word. */
  die(): void {
    this.#client.options.reconnectPeriod = 0;
    this.#client.stream.destroy();
  }

  leave(): void {
    this.#client.end(true);
  }
}

const SENDER = { client_id: 'alice', access_level: 'USER', key_id: 'key-1' };
