import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { freePort } from './free-port.ts';
import { until } from './processes.ts';
import { compiledMoveBase, ROSMASTER } from './ros1-components.ts';
import { ROOT } from './sources.ts';
import { type RunningProgram, startSystemProgram } from './system-programs.ts';
import { temporaryFolder } from './world.ts';

const PYTHON = '/usr/bin/python3';

/** The text of a mapping that the project ships. */
export function exampleMapping(name: 'turtlebot' | 'nav2'): string {
  return readFileSync(join(ROOT, `examples/rosbridge/${name}.yaml`), 'utf8');
}

/** What the base really does, in m/s, rad/s, metres and radians. */
export interface Motion {
  readonly speed: number;
  readonly turn: number;
  readonly x: number;
  readonly y: number;
  readonly yaw: number;
}

/** A message as it was seen on a topic, and which node had published it. */
export interface Recorded {
  readonly topic: string;
  readonly from: string;
  /** In ms since the epoch. */
  readonly at: number;
  readonly msg: JsonObject;
}

export interface BedOptions {
  /** Options of drive_node.py, see its --help. */
  readonly base?: readonly string[];
  /** Options of bridge.py. */
  readonly bridge?: readonly string[];
  /** Action servers by name: options of move_base.py, or 'cpp' for move_base.cpp. Without it there is `move_base`. */
  readonly actions?: Readonly<Record<string, readonly string[] | 'cpp'>>;
}

interface Part {
  readonly command: string;
  /** What it needs to be itself: its script, and its port or name. */
  readonly identity: readonly string[];
  options: readonly string[];
  program: RunningProgram | undefined;
  ready: boolean;
}

/**
 * A robot that runs ROS 1, all of it real: a master, a base that drives, action servers, and a rosbridge server, each a
 * process of its own, on free ports of 127.0.0.1. The parts are called `master`, `base`, `bridge`, `recorder`, and the
 * action servers by their names.
 */
export class Ros1Bed {
  /** Where the rosbridge server listens, through all of its restarts. */
  readonly bridgePort: number;
  /** What {@link record} has seen, in order. */
  readonly recorded: Recorded[] = [];
  readonly #environment: Record<string, string>;
  readonly #folder: string;
  readonly #parts = new Map<string, Part>();
  #motion: Motion = { speed: 0, turn: 0, x: 0, y: 0, yaw: 0 };
  #motionCount = 0;
  #lastMoveAt = Number.NEGATIVE_INFINITY;

  private constructor(masterPort: number, bridgePort: number, options: BedOptions) {
    this.bridgePort = bridgePort;
    this.#folder = temporaryFolder('robot-rest-ros1-');
    this.#environment = {
      PATH: '/usr/bin:/bin', // Debian's Python, whatever else there is
      ROS_MASTER_URI: `http://127.0.0.1:${masterPort}`,
      ROS_IP: '127.0.0.1',
      ROS_HOME: this.#folder,
      ROS_LOG_DIR: this.#folder,
      PYTHONUNBUFFERED: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    };
    this.#add('master', ROSMASTER, ['--core', '-p', String(masterPort)]);
    this.#addNode('base', ['drive_node.py'], options.base);
    this.#addNode('bridge', ['bridge.py', '--port', String(bridgePort)], options.bridge);
    for (const [name, more] of Object.entries(options.actions ?? { move_base: [] })) {
      if (more === 'cpp') this.#add(name, compiledMoveBase(), [name]);
      else this.#addNode(name, ['move_base.py', '--name', name], more);
    }
  }

  static async start(options: BedOptions = {}): Promise<Ros1Bed> {
    const bed = new Ros1Bed(await freePort(), await freePort(), options);
    try {
      const [master, ...nodes] = [...bed.#parts.keys()];
      if (master !== undefined) await bed.#start(master);
      await Promise.all(nodes.map((name) => bed.#start(name)));
      return bed;
    } catch (error) {
      await bed.close();
      throw error;
    }
  }

  /** Where the service under test finds the robot. */
  get url(): string {
    return `ws://127.0.0.1:${this.bridgePort}`;
  }

  /** The latest motion of the base, told by the base itself and not through ROS. */
  get motion(): Motion {
    return this.#motion;
  }

  /** How fast the base is, in m/s; turning counts as well, in rad/s. */
  speed(): number {
    return Math.max(Math.abs(this.#motion.speed), Math.abs(this.#motion.turn));
  }

  /** Whether the base stands now and goes on standing for so long. */
  async standsFor(ms: number): Promise<boolean> {
    const since = Date.now();
    const before = this.#motionCount;
    while (Date.now() - since < ms || this.#motionCount - before < 2) {
      if (this.speed() > 0) return false;
      if (Date.now() - since > ms + 10_000) throw new Error('The base does not say whether it stands');
      await sleep(10);
    }
    return this.#lastMoveAt < since;
  }

  /** Waits until the base moves. */
  async untilMoving(): Promise<void> {
    await until('the base to move', () => this.speed() > 0.1);
  }

  /** Waits until the base stands. */
  async untilStanding(): Promise<void> {
    await until('the base to stand', () => this.speed() === 0);
  }

  /** Records goals, cancellations, statuses and results of an action, and velocities, from now on. */
  async record(action = '/move_base'): Promise<void> {
    this.#addNode('recorder', ['recorder.py', action]);
    await this.#start('recorder');
  }

  /** The messages that were recorded of one topic. */
  recordedOf(topic: string): Recorded[] {
    return this.recorded.filter((message) => message.topic === topic);
  }

  /** Ends a part at once, without a farewell to anybody. */
  async kill(name: string): Promise<void> {
    const part = this.#part(name);
    await part.program?.stop('SIGKILL');
    part.program = undefined;
  }

  /** Stops the clock of a part: its connections stand, nothing moves, until {@link thaw}. */
  freeze(name: string): void {
    this.#part(name).program?.child.kill('SIGSTOP');
  }

  thaw(name: string): void {
    this.#part(name).program?.child.kill('SIGCONT');
  }

  /** Kills a part and starts it again, with other options where they are given. */
  async restart(name: string, options?: readonly string[]): Promise<void> {
    const part = this.#part(name);
    await this.kill(name);
    if (options) part.options = options;
    await this.#start(name);
  }

  /** What a part has printed since it was started last. */
  log(name: string): string {
    const { program } = this.#part(name);
    return program ? readFileSync(program.logPath, 'utf8') : '';
  }

  /** Ends every process of the bed. */
  async close(): Promise<void> {
    await Promise.all([...this.#parts.keys()].reverse().map((name) => this.kill(name)));
  }

  #addNode(name: string, [script, ...more]: readonly [string, ...string[]], options?: readonly string[]): void {
    this.#add(name, PYTHON, [join(ROOT, 'test/support/ros1', script), ...more], options);
  }

  #add(name: string, command: string, identity: readonly string[], options: readonly string[] = []): void {
    this.#parts.set(name, { command, identity, options, program: undefined, ready: false });
  }

  #part(name: string): Part {
    const part = this.#parts.get(name);
    if (!part) throw new Error(`The bed has no ${name}, only ${[...this.#parts.keys()].join(', ')}`);
    return part;
  }

  async #start(name: string): Promise<void> {
    const part = this.#part(name);
    part.ready = false;
    const program = startSystemProgram(part.command, [...part.identity, ...part.options], {
      folder: this.#folder,
      environment: this.#environment,
    });
    part.program = program;
    if (program.child.stdout) {
      createInterface({ input: program.child.stdout }).on('line', (line) => this.#read(part, line));
    }
    const isUp = name === 'master' ? () => listens(this.#masterPort) : () => part.ready;
    await until(`${name} to be ready`, () => {
      if (program.child.exitCode !== null) throw new Error(`${name} has ended:\n${this.log(name)}`);
      return isUp();
    });
  }

  get #masterPort(): number {
    return Number(new URL(this.#environment.ROS_MASTER_URI ?? '').port);
  }

  #read(part: Part, line: string): void {
    if (line.startsWith('motion ')) {
      const [speed = 0, turn = 0, x = 0, y = 0, yaw = 0] = line.split(' ').slice(1).map(Number);
      this.#motion = { speed, turn, x, y, yaw };
      this.#motionCount += 1;
      if (this.speed() > 0) this.#lastMoveAt = Date.now();
      part.ready = true;
    } else if (line === 'ready') part.ready = true;
    else if (line.startsWith('{"topic"')) this.recorded.push(JSON.parse(line) as Recorded); // as: recorder.py writes so
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
