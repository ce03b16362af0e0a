import { ServiceError } from '../../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json.ts';
import type { Runs } from '../../../runs/runs.ts';
import type { RunnableFunction } from '../../../runs/skill-source.port.ts';
import type { RobotCommand, RobotLink, SendOptions } from '../../port.ts';
import { RobotSkills } from './robot-skills.ts';

/** Resolves names of skills: those of the robot itself come first. */
export class UploadedSkills {
  readonly robot: RobotSkills;
  readonly #runs: Runs;

  constructor(link: RobotLink, runs: Runs, clock: () => number) {
    this.robot = new RobotSkills(link, clock);
    this.#runs = runs;
  }

  /**
   * The uploaded function that a name means; undefined where it is left to the robot.
   * @throws ServiceError `conflict` for a name in several files; `component_unavailable` while the robot has not said
   * what it can do itself.
   */
  async find(name: string, { sender }: RobotCommand, options: SendOptions): Promise<RunnableFunction | undefined> {
    const functions = await this.#runs.sources.list(options.signal);
    const named = functions.filter((each) => each.name === name);
    const [found] = named;
    if (!found || (await this.robot.names(sender, options)).has(name)) return undefined;
    if (named.length === 1) return found;
    const files = named.map(({ skill }) => `${skill}.py`).join(' and ');
    throw new ServiceError('conflict', {
      detail: `${files} each have a function "${name}". Run one of them with POST /api/v2/runs/, or disable one.`,
      members: { command_ran: 'no' },
    });
  }

  /** The robot's answer to `get_skills` with the uploaded functions; undefined: it has no such command. */
  async list(answer: JsonValue | undefined, signal: AbortSignal): Promise<JsonValue> {
    if (answer !== undefined && !Array.isArray(answer)) return answer; // of a form of its own
    const own = answer === undefined ? new Set<string>() : this.robot.learn(answer);
    const functions = await this.#runs.sources.list(signal);
    return [...(answer ?? []), ...functions.map((each) => described(each, own.has(each.name)))];
  }
}

function described({ name, skill, description, accessLevel, args }: RunnableFunction, hidden: boolean): JsonObject {
  return {
    name,
    title: description ?? name,
    takes: takenBy(args),
    source: 'uploaded',
    skill,
    args,
    access_level: accessLevel ?? 'USER',
    ...(hidden && { hidden }),
  };
}

/** For people, as the simulated robot describes its own. */
function takenBy({ properties }: JsonObject): JsonObject {
  const members = isJsonObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(members.map(([name, schema]) => [name, typeNameOf(schema)]));
}

function typeNameOf(schema: JsonValue): string {
  if (!isJsonObject(schema)) return 'any';
  if (typeof schema.type === 'string') return schema.type;
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)).join(' or ') : 'any';
}
