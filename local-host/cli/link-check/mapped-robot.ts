import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../functions/shared/config.ts';
import { arrivalStamp, Fence } from '../../../functions/shared/control/fence.ts';
import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import { openRosbridge } from '../../../functions/shared/robot-link/adapters/rosbridge/open.ts';
import { argsSchema } from '../../../functions/shared/robot-link/command-args.ts';
import { DOCUMENTED_RESULTS } from '../../../functions/shared/robot-link/documented-results.ts';
import type { RobotCommand, RobotLink } from '../../../functions/shared/robot-link/port.ts';
import type { Motion } from './motion.ts';
import { Movement } from './movement.ts';

const SENDER = { clientId: 'link-check', accessLevel: 'ADMIN', keyId: 'link-check' } as const;
const ANSWER_MS = 10_000;
const SEEN_MS = 10_000;
const WATCH_MS = 1_200;
const REPORT_MS = 50;
const CREEP = { vx: 0.1, vy: 0, wz: 0 };
const STILL = { vx: 0, vy: 0, wz: 0 };

/** A robot that runs ROS, behind a rosbridge server and a mapping. */
export class MappedRobot {
  readonly #link: RobotLink;
  readonly movement = new Movement();
  readonly #reading: NodeJS.Timeout;

  private constructor(link: RobotLink) {
    this.#link = link;
    this.#reading = setInterval(() => this.#read(), REPORT_MS);
  }

  /** @throws ConfigError for a mapping that cannot be used, with its line and key. */
  static async open(mapping: string, environment: NodeJS.ProcessEnv): Promise<MappedRobot> {
    const { config } = loadConfig({ ...environment, SERVICE_MODE: 'robot', SERVICE_ROBOT_MAPPING_PATH: mapping });
    const world = { logger: createLogger('silent'), clock: Date.now, fence: new Fence() };
    return new MappedRobot(await openRosbridge(config, { ...world, url: config.SERVICE_ROBOT_URL ?? '' }));
  }

  get catalogue() {
    return this.#link.catalogue();
  }

  /** It can be driven by hand. */
  get canJog(): boolean {
    return this.#link.jog?.() !== undefined;
  }

  connected(): Promise<boolean> {
    return this.#until(() => this.#link.connected());
  }

  /** What the service says of it by itself: what is missing in the mapping or on the robot. */
  mapping(): readonly string[] {
    return [this.#link.problem?.() ?? [], this.#link.notes?.() ?? []].flat();
  }

  async answers(): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const { name, kind, effect, waits, result } of this.catalogue.values()) {
      if (kind !== 'none' || effect !== 'query' || waits) continue;
      const answer = await this.#ask({ command: name, sender: SENDER });
      if ('fault' in answer) {
        faults.push(`${name}: ${answer.fault}`);
        continue;
      }
      for (const schema of [result, DOCUMENTED_RESULTS[name]?.result]) {
        const [issue] = (schema && argsSchema(schema).safeParse(answer.result).error?.issues) ?? [];
        if (issue) faults.push(`${name}: /${issue.path.join('/')} ${issue.message}; mend "result" in the mapping.`);
      }
    }
    return faults;
  }

  async stop(): Promise<readonly string[]> {
    try {
      const { stopped } = await this.#link.stop(this.#options());
      return stopped ? [] : ['A stop was not confirmed.'];
    } catch (error) {
      return [`A stop was not confirmed: ${sentenceOf(error)}`];
    }
  }

  async stopBusy({ command, value }: Motion): Promise<readonly string[]> {
    const since = performance.now();
    const answer = await this.#ask({ command, sender: SENDER, ...(value === undefined ? {} : { value }) });
    if ('fault' in answer) return [`${command}: ${answer.fault}`];
    if (!(await this.#until(() => this.movement.seen(since))))
      return [`${command} was accepted, and no movement was reported: "state" of the mapping needs the odometry.`];
    const faults = [...(await this.stop())];
    const stoppedAt = performance.now();
    await sleep(WATCH_MS);
    if (faults.length === 0 && this.movement.seen(stoppedAt))
      faults.push('The stop was confirmed while the robot moved: "stop" of the mapping has to end every motion.');
    return faults;
  }

  /** Undefined where the mapping has no `jog`. */
  async jog(): Promise<readonly string[] | undefined> {
    const jog = this.#link.jog?.();
    if (!jog) return undefined;
    let seq = 0;
    const send = (velocity: typeof STILL) => {
      seq += 1;
      jog.send({ velocity, seq, validMs: 300, arrivedAt: arrivalStamp() });
    };
    const since = performance.now();
    try {
      send(STILL);
      for (let frame = 0; frame < 16; frame += 1) {
        await sleep(REPORT_MS);
        send(CREEP);
      }
    } catch (error) {
      return [`It cannot be driven by hand: ${sentenceOf(error)}`];
    }
    const moved = this.movement.seen(since);
    const still = () => !this.movement.seen(performance.now() - 500);
    await sleep(jog.watchdogMs + 500);
    const stands = await this.#until(still, 3_000);
    await this.stop();
    if (!moved) return ['Driven by hand, no movement was reported.'];
    return stands
      ? []
      : [`It drives on when the velocities cease: the base itself must stop after ${jog.watchdogMs} ms.`];
  }

  async close(): Promise<void> {
    clearInterval(this.#reading);
    await this.#link.close();
  }

  async #ask(command: RobotCommand): Promise<{ readonly result: JsonValue } | { readonly fault: string }> {
    try {
      const answer = await this.#link.send(command, this.#options());
      return { result: answer as JsonValue }; // as: a wrapped answer of a query does not occur
    } catch (error) {
      return { fault: sentenceOf(error) };
    }
  }

  #options() {
    return { deadline: Date.now() + ANSWER_MS, signal: AbortSignal.timeout(ANSWER_MS) };
  }

  #read(): void {
    const now = performance.now();
    const [state, joints] = [this.#link.state?.(), this.#link.joints?.()];
    if (state) this.movement.take('state', state as JsonValue, now); // as: it is JSON
    if (joints) this.movement.take('joints', joints as JsonValue, now); // as: it is JSON
  }

  async #until(holds: () => boolean, withinMs = SEEN_MS): Promise<boolean> {
    const end = performance.now() + withinMs;
    while (!holds()) {
      if (performance.now() > end) return false;
      await sleep(REPORT_MS);
    }
    return true;
  }
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
