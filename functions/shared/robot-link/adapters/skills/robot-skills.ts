import { unavailable } from '../../../errors.ts';
import { isJsonObject, type JsonValue } from '../../../kit/json.ts';
import {
  Declined,
  Replaced,
  type RobotAnswer,
  type RobotLink,
  type Sender,
  type SendOptions,
  Unanswered,
} from '../../port.ts';

/** How long an answer counts, in ms. */
const FRESH_MS = 5_000;

/** What the robot itself can do by name, as it answers to `get_skills`. */
export class RobotSkills {
  readonly #link: RobotLink;
  readonly #clock: () => number;
  #known: { readonly names: ReadonlySet<string>; readonly at: number } | undefined;

  constructor(link: RobotLink, clock: () => number) {
    this.#link = link;
    this.#clock = clock;
  }

  /** Asks the robot, unless it has just answered or has no such command. @throws ServiceError `component_unavailable`. */
  async names(sender: Sender, options: SendOptions): Promise<ReadonlySet<string>> {
    if (!this.#link.catalogue().has('get_skills')) return new Set();
    if (this.#known && this.#clock() - this.#known.at < FRESH_MS) return this.#known.names;
    try {
      return this.learn(await this.#link.send({ command: 'get_skills', sender }, options));
    } catch (error) {
      if (this.#known) return this.#known.names;
      throw unavailable('skills', 'The robot has not said yet which skills it has itself. Try again.', error);
    }
  }

  /** Takes note of an answer to `get_skills`. */
  learn(answer: RobotAnswer): ReadonlySet<string> {
    const names = new Set(namesIn(plainAnswer(answer)));
    this.#known = { names, at: this.#clock() };
    return names;
  }
}

/** The value that the robot answered; undefined if it declined, or does not answer. */
export function plainAnswer(answer: RobotAnswer): JsonValue | undefined {
  if (answer instanceof Replaced) return plainAnswer(answer.answer);
  return answer instanceof Unanswered || answer instanceof Declined ? undefined : answer;
}

/** Robots answer with names, or with objects that have one. */
function namesIn(answer: JsonValue | undefined): string[] {
  if (!Array.isArray(answer)) return [];
  return answer.flatMap((each) => {
    const name = isJsonObject(each) ? each.name : each;
    return typeof name === 'string' ? [name] : [];
  });
}
