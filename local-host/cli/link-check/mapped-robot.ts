import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../functions/shared/config.ts';
import { arrivalStamp, Fence } from '../../../functions/shared/control/fence.ts';
import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import type { Mapping } from '../../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import { openRosbridge, readMapping } from '../../../functions/shared/robot-link/adapters/rosbridge/open.ts';
import type { Jog, RobotLink, Velocity } from '../../../functions/shared/robot-link/port.ts';
import { BridgeWatch } from './bridge-watch.ts';
import type { Motion } from './motion.ts';

const SENDER = { clientId: 'link-check', accessLevel: 'ADMIN', keyId: 'link-check' } as const;
const ANSWER_MS = 10_000;
const SEEN_MS = 10_000;
const LOOK_MS = 50;

/** A robot that runs ROS, behind a rosbridge server and a mapping. */
export class MappedRobot {
  readonly link: RobotLink;
  readonly mapping: Mapping;
  readonly watch: BridgeWatch;
  #seq = 0;

  private constructor(link: RobotLink, mapping: Mapping, watch: BridgeWatch) {
    this.link = link;
    this.mapping = mapping;
    this.watch = watch;
  }

  /** @throws ConfigError for a mapping that cannot be used, with its line and key. */
  static async open(path: string, environment: NodeJS.ProcessEnv): Promise<MappedRobot> {
    const { config } = loadConfig({ ...environment, SERVICE_MODE: 'robot', SERVICE_ROBOT_MAPPING_PATH: path });
    const url = config.SERVICE_ROBOT_URL ?? '';
    const mapping = readMapping(path);
    const world = { logger: createLogger('silent'), clock: Date.now, fence: new Fence() };
    const link = await openRosbridge(config, { ...world, url });
    return new MappedRobot(link, mapping, new BridgeWatch(url, mapping));
  }

  get catalogue() {
    return this.link.catalogue();
  }

  /** Undefined where it cannot be driven by hand. */
  get jog(): Jog | undefined {
    return this.link.jog?.();
  }

  async connected(): Promise<boolean> {
    await this.watch.attempted();
    return this.until(() => this.link.connected());
  }

  /** Why the robot does not confirm a stop; empty if it does. */
  async stop(): Promise<readonly string[]> {
    try {
      const { stopped } = await this.link.stop(options());
      return stopped ? [] : ['A stop was not confirmed.'];
    } catch (error) {
      return [`A stop was not confirmed: ${sentenceOf(error)}`];
    }
  }

  /** Sends a velocity, as a hand on a stick does. @throws ServiceError */
  drive(velocity: Velocity): void {
    this.#seq += 1;
    this.jog?.send({ velocity, seq: this.#seq, validMs: 300, arrivedAt: arrivalStamp() });
  }

  async ask(command: string, value?: JsonValue): Promise<{ readonly result: JsonValue } | { readonly fault: string }> {
    try {
      const sent = { command, sender: SENDER, ...(value === undefined ? {} : { value }) };
      const answer = await this.link.send(sent, options());
      return { result: answer as JsonValue }; // as: a wrapped answer of a query does not occur
    } catch (error) {
      return { fault: sentenceOf(error) };
    }
  }

  async until(holds: () => boolean, withinMs = SEEN_MS): Promise<boolean> {
    const end = performance.now() + withinMs;
    while (!holds()) {
      if (performance.now() > end) return false;
      await sleep(LOOK_MS);
    }
    return true;
  }

  async close(): Promise<void> {
    this.watch.close();
    await this.link.close();
  }
}

/** What the checks of a robot with a mapping use. */
export interface MappedBench {
  readonly robot: MappedRobot;
  /** The motion that they use; undefined if there is none, or the robot must not be moved. */
  readonly motion: Motion | undefined;
}

const options = () => ({ deadline: Date.now() + ANSWER_MS, signal: AbortSignal.timeout(ANSWER_MS) });

export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
