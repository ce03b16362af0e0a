import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonValue } from '../../../functions/shared/kit/json.ts';
import type { CommandSpec } from '../../../functions/shared/robot-link/catalogue.schema.ts';
import type { CutProxy } from './cut-proxy.ts';
import { Broken, NotChecked } from './endings.ts';
import type { Motion } from './motion.ts';
import type { Answer, RobotCaller } from './robot-caller.ts';
import type { SecondProgram } from './second-program.ts';

/** How long a movement may take until it is seen, and an end until it is. In ms. */
const SEEN_MS = 10_000;

interface Parts {
  readonly caller: RobotCaller;
  /** The motion that the checks use; undefined if the robot must not, or cannot, be moved. */
  readonly motion: Motion | undefined;
  /** Another program drives the robot while `stop-driven` runs. */
  readonly isDriven: boolean;
  /** Where the robot connects to in place of its broker. */
  readonly proxy?: CutProxy | undefined;
  readonly secondProgram?: (() => SecondProgram) | undefined;
}

/** What all checks use: the robot, and how it is moved and brought to rest. */
export class Bench {
  readonly parts: Parts;
  readonly caller: RobotCaller;

  constructor(parts: Parts) {
    this.parts = parts;
    this.caller = parts.caller;
  }

  get catalogue(): ReadonlyMap<string, CommandSpec> {
    return this.caller.presence?.catalogue ?? new Map();
  }

  get online() {
    const message = this.caller.presence?.message;
    if (!message?.online) throw new Broken('The robot is no longer online; its program may have ended.');
    return message;
  }

  /** @throws Broken */
  assertOnline(): void {
    void this.online;
  }

  /** A query without a value, which is always harmless. */
  get probe(): string {
    for (const { name, kind, effect, waits } of this.catalogue.values()) {
      if (kind === 'none' && effect === 'query' && !waits) return name;
    }
    throw new NotChecked('The robot has no query without a value.');
  }

  get motion(): Motion {
    if (!this.parts.motion) throw new NotChecked('The robot has no motion that could be used; name one with --move.');
    return this.parts.motion;
  }

  /** Ends all motion. @throws Broken where the robot does not confirm that it stands. */
  async rest(): Promise<void> {
    let answer: Answer | undefined;
    for (let attempt = 0; attempt < 4; attempt += 1) {
      answer = await this.caller.stop();
      if (answer.ok === true) return;
    }
    throw new Broken(`The robot was stopped and did not confirm it: ${told(answer)}`);
  }

  /** Starts the motion and waits until it is seen. @returns the id of its mission, if it is one. */
  async move(): Promise<string | undefined> {
    const { command, value } = this.motion;
    const since = performance.now();
    const answer = await this.caller.ask(command, value);
    if (answer.ok !== true) throw new Broken(`${command} was refused: ${told(answer)}`);
    await this.untilMoving(since);
    return missionIn(answer);
  }

  async untilMoving(since: number): Promise<void> {
    const { movement } = this.caller;
    if (await this.until(() => movement.seen(since), SEEN_MS)) return;
    if (movement.reported(since))
      throw new Broken(`${this.motion.command} was accepted, and no movement was reported.`);
    throw new NotChecked('The robot publishes neither state nor joints, so its movement cannot be seen.');
  }

  /** Whether the robot comes to rest: reports came in the last half second, and none of movement. */
  async comesToRest(withinMs = SEEN_MS): Promise<boolean> {
    const { movement } = this.caller;
    // A robot that fell silent is not seen at rest.
    const still = () => movement.reported(performance.now() - 500) && !movement.seen(performance.now() - 500);
    return this.until(still, withinMs);
  }

  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    const end = performance.now() + withinMs;
    while (!holds()) {
      if (performance.now() > end) return false;
      await sleep(20);
    }
    return true;
  }
}

/** The id in the answer of a command that started a mission. */
export function missionIn(answer: Answer): string | undefined {
  const result: JsonValue = answer.ok === true ? answer.result : null;
  return isJsonObject(result) && result.called === true && typeof result.msg === 'string' ? result.msg : undefined;
}

/** An answer in words. */
export function told(answer: Answer | undefined): string {
  if (answer === undefined || answer.ok === 'missing') return 'no answer came.';
  if (answer.ok === 'malformed') return `its answer does not match docs/mqtt.schema.json: ${answer.text}`;
  if (answer.ok) return `it answered ${JSON.stringify(answer.result).slice(0, 200)}.`;
  const { code, detail, ran } = answer.error;
  return `${code} (ran: ${ran}): ${detail}`;
}

/** A fault unless the answer is a refusal with this code and `ran: "no"`. */
export function refusedWith(answer: Answer, codes: readonly string[], what: string): string[] {
  if (answer.ok === false && codes.includes(answer.error.code)) {
    return answer.error.ran === 'no' ? [] : [`${what}: the refusal must say "ran": "no"; ${told(answer)}`];
  }
  return [`${what}: must be refused with ${codes.join(' or ')}; ${told(answer)}`];
}
