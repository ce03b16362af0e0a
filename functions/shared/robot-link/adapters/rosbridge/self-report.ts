import { performance } from 'node:perf_hooks';
import * as z from 'zod';
import { type JointsChanged, ReportedState } from '../../../events/data.schema.ts';
import type { JsonValue } from '../../../kit/json.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { JointsTopic, ReportPlan, StateTopic } from './report-plan.ts';
import { UnfitValue } from './template.ts';
import type { Topics } from './topics.ts';

/** Maximum number of joints, and maximum length of their names. */
const MAX_JOINTS = 1_000;
const MAX_NAME = 300;

interface Told<T> {
  readonly value: T;
  readonly at: number;
  readonly maxAgeMs: number;
}

/** The latest reports on the topics of the mapping. Reports that are too old are ignored. */
export class SelfReport {
  readonly #plan: ReportPlan;
  readonly #logger: Logger;
  readonly #state = new Map<StateTopic, Told<ReportedState>>();
  /** By name: several nodes may publish different joints on one topic. */
  readonly #joints = new Map<string, Told<number>>();
  readonly #complained = new Set<string>();

  constructor(plan: ReportPlan, topics: Topics, logger: Logger) {
    this.#plan = plan;
    this.#logger = logger;
    for (const each of plan.state) this.#follow(topics, each, (message) => this.#noteState(each, message));
    for (const each of plan.joints) this.#follow(topics, each, (message) => this.#noteJoints(each, message));
  }

  /** undefined while nothing is known. If several topics report a member, the last one in the mapping counts. */
  state(): ReportedState | undefined {
    const fresh = this.#plan.state.flatMap((topic) => {
      const told = this.#state.get(topic);
      return told && isFresh(told) ? [told.value] : [];
    });
    const state: ReportedState = Object.assign({}, ...fresh);
    return Object.keys(state).length > 0 ? state : undefined;
  }

  /** undefined while nothing is known. */
  joints(): JointsChanged | undefined {
    this.#forgetOldJoints();
    if (this.#joints.size === 0) return undefined;
    const positions = [...this.#joints.values()].map(({ value }) => value);
    return { names: [...this.#joints.keys()], positions };
  }

  #follow(topics: Topics, { topic, type, throttleMs }: StateTopic | JointsTopic, note: (message: JsonValue) => void) {
    topics.follow({ name: topic, type, throttleMs, lossless: throttleMs === 0 });
    const listener = (message: JsonValue) => {
      try {
        note(message);
      } catch (error) {
        if (!(error instanceof UnfitValue)) throw error;
        this.#complain(topic, `${error.path.join('.')}: ${error.message}`);
      }
    };
    topics.listen(topic, listener, 'ordinary');
  }

  #noteState(topic: StateTopic, message: JsonValue): void {
    const value = ReportedState.safeParse(topic.read(message));
    if (value.success) this.#state.set(topic, { value: value.data, at: performance.now(), maxAgeMs: topic.maxAgeMs });
    else this.#complain(topic.topic, z.prettifyError(value.error));
    const problem = this.#complained.has(topic.topic) ? undefined : topic.problem?.(message);
    if (problem !== undefined) this.#complain(topic.topic, problem);
  }

  #noteJoints({ read, maxAgeMs }: JointsTopic, message: JsonValue): void {
    const { names, positions } = read(message);
    const at = performance.now();
    if (this.#joints.size + names.length > MAX_JOINTS) this.#forgetOldJoints();
    for (const [index, name] of names.entries()) {
      if (name.length > MAX_NAME || (this.#joints.size >= MAX_JOINTS && !this.#joints.has(name))) continue;
      this.#joints.set(name, { value: positions[index] ?? 0, at, maxAgeMs });
    }
  }

  #forgetOldJoints(): void {
    for (const [name, told] of this.#joints) if (!isFresh(told)) this.#joints.delete(name);
  }

  /** Once per topic, because it would recur many times a second. */
  #complain(topic: string, reason: string): void {
    if (this.#complained.has(topic)) return;
    this.#complained.add(topic);
    this.#logger.warn({ topic, reason }, 'ignored messages of the robot that do not match the mapping');
  }
}

function isFresh({ at, maxAgeMs }: Told<unknown>): boolean {
  return performance.now() - at <= maxAgeMs;
}
