import { isJsonObject, type JsonValue } from '../../../functions/shared/kit/json.ts';
import { plainType } from '../../../functions/shared/robot-link/adapters/rosbridge/mapping-parts.schema.ts';
import type { BridgeWatch } from './bridge-watch.ts';
import type { Check } from './check.ts';
import { NotChecked } from './endings.ts';
import { type MappedPart, partsOf } from './mapped-parts.ts';
import type { MappedBench } from './mapped-robot.ts';

export const mappedParts: Check<MappedBench> = {
  name: 'parts',
  title: 'The robot has the topics, services and actions of the mapping',
  moves: false,
  async run({ robot: { mapping, watch } }) {
    const services = listIn(await watch.call('/rosapi/services'), 'services');
    if (!services)
      throw new NotChecked(
        'The mapping is valid; whether the robot has these topics was not checked: its server offers no rosapi.',
      );
    const robot = new RosGraph(watch, new Set(services), mapping.ros);
    const faults: string[] = [];
    for (const part of partsOf(mapping)) faults.push(...(await robot.faultsOf(part)));
    return faults;
  },
};

/** What rosapi tells of the nodes of the robot. What it does not answer is not held against the robot. */
class RosGraph {
  readonly #watch: BridgeWatch;
  readonly #services: ReadonlySet<string>;
  readonly #ros: 1 | 2;
  #actions: readonly string[] | undefined;

  constructor(watch: BridgeWatch, services: ReadonlySet<string>, ros: 1 | 2) {
    this.#watch = watch;
    this.#services = services;
    this.#ros = ros;
  }

  async faultsOf(part: MappedPart): Promise<string[]> {
    const name = part.name.startsWith('/') ? part.name : `/${part.name}`;
    const fault = await this.#faultOf({ ...part, name });
    return fault === undefined ? [] : [`${part.place}: ${fault}`];
  }

  #faultOf(part: MappedPart): Promise<string | undefined> {
    if (part.is === 'service') return this.#serviceFault(part);
    return part.is === 'action' ? this.#actionFault(part) : this.#topicFault(part);
  }

  /** The server itself subscribes to what it passes on, and publishes what it is sent: the other side must be there. */
  async #topicFault({ is, name, type }: MappedPart): Promise<string | undefined> {
    const role = is === 'published' ? 'subscribers' : 'publishers';
    const nodes = listIn(await this.#watch.call(`/rosapi/${role}`, { topic: name }), role);
    if (nodes?.length === 0)
      return `no node of the robot ${is === 'published' ? 'subscribes to' : 'publishes'} ${name}`;
    return this.#typeFault(name, type, await this.#watch.call('/rosapi/topic_type', { topic: name }));
  }

  async #serviceFault({ name, type }: MappedPart): Promise<string | undefined> {
    if (!this.#services.has(name)) return `the robot has no service ${name}`;
    if (type === undefined) return undefined;
    return this.#typeFault(name, type, await this.#watch.call('/rosapi/service_type', { service: name }));
  }

  /** On ROS 1 an action is its topics. */
  async #actionFault({ name, place }: MappedPart): Promise<string | undefined> {
    const absent = `the robot has no action server ${name}`;
    if (this.#ros === 1) {
      const status = { is: 'followed', place, name: `${name}/status` } as const;
      return (await this.#topicFault(status)) === undefined ? undefined : absent;
    }
    this.#actions ??= listIn(await this.#watch.call('/rosapi/action_servers'), 'action_servers');
    return this.#actions === undefined || this.#actions.includes(name) ? undefined : absent;
  }

  #typeFault(name: string, type: string | undefined, answer: JsonValue | undefined): string | undefined {
    const told = isJsonObject(answer) ? answer.type : undefined;
    // Some servers for ROS 2 leave the middle part out.
    if (type === undefined || typeof told !== 'string' || told === '' || plainType(told) === plainType(type))
      return undefined;
    return `${name} has the type ${told} on the robot, not ${type}`;
  }
}

function listIn(answer: JsonValue | undefined, member: string): string[] | undefined {
  const list = isJsonObject(answer) ? answer[member] : undefined;
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
}
