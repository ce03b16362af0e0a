import { setTimeout as sleep } from 'node:timers/promises';
import { Fence, stopped } from '../../../control/fence.ts';
import { ServiceError } from '../../../errors.ts';
import type { JsonObject } from '../../../json.ts';
import type { Logger } from '../../../logger.ts';
import type { CommandSpec, RobotAnswer, RobotCommand, RobotLink, SendOptions, StopReport } from '../port.ts';
import { robotUnavailable } from '../robot-unavailable.ts';
import type { ActionForm } from './action-form.ts';
import { broken } from './connection.ts';
import { Connections, type Lane } from './connections.ts';
import { Goals } from './goals.ts';
import type { Mapping } from './mapping.ts';
import { Pauses } from './pauses.ts';
import { Publications } from './publications.ts';
import { Ros1Actions } from './ros1-actions.ts';
import { Ros2Actions } from './ros2-actions.ts';
import { runWay, type Tools, tooLate } from './run-way.ts';
import { refusal, Services } from './services.ts';
import { StopRun } from './stop-robot.ts';
import { Topics } from './topics.ts';

/** How long a start waits for the robot; after that it goes on and the link comes when it comes. */
const FIRST_CONNECT_MS = 1_000;
const MAX_LOGGED_REASON = 300;

export interface Surroundings {
  readonly url: string;
  readonly mapping: Mapping;
  readonly logger: Logger;
  /** Now, in ms since the epoch. */
  readonly clock: () => number;
  readonly fence?: Fence;
}

/** A robot that runs ROS, reached through a rosbridge server (rosbridge protocol 2.0). */
export async function openRosbridgeRobot(surroundings: Surroundings): Promise<RobotLink> {
  const robot = new RosbridgeRobot(surroundings);
  await Promise.race([robot.attempted(), sleep(FIRST_CONNECT_MS, undefined, { ref: false })]);
  return robot;
}

class RosbridgeRobot implements RobotLink {
  readonly kind = 'rosbridge';
  readonly fence: Fence;
  readonly #mapping: Mapping;
  readonly #logger: Logger;
  readonly #tools: Tools;
  readonly #catalogue: ReadonlyMap<string, CommandSpec>;
  readonly #actions: readonly string[];
  readonly #stops = new Set<StopRun>();

  constructor({ url, mapping, logger, clock, fence = new Fence() }: Surroundings) {
    this.fence = fence;
    this.#mapping = mapping;
    this.#logger = logger;
    this.#catalogue = new Map([...mapping.commands].map(([name, { spec }]) => [name, spec]));
    const connections = new Connections(
      url,
      { logger, fence },
      {
        opened: (connection, lane) => {
          this.#tools.topics.opened(connection, lane);
          this.#tools.form.opened(lane);
        },
        received: (message, lane) => this.#received(message, lane),
        lost: (lane, onPurpose) => this.#lost(lane, onPurpose),
      },
    );
    const services = new Services(connections);
    const topics = new Topics();
    const goals = new Goals();
    const form: ActionForm =
      mapping.ros === 1
        ? new Ros1Actions({ connections, services, topics, goals })
        : new Ros2Actions({ connections, services, goals });
    const publications = new Publications();
    const pauses = new Pauses();
    this.#tools = { connections, services, topics, publications, goals, form, pauses, clock };
    this.#actions = prepare(mapping, topics, form);
    if (mapping.unconfirmedStop) logger.warn({ problem: this.problem() }, 'commands that move the robot are refused');
  }

  attempted(): Promise<void> {
    return this.#tools.connections.attempted();
  }

  connected(): boolean {
    return this.#tools.connections.connected;
  }

  problem(): string | undefined {
    const { unconfirmedStop } = this.#mapping;
    if (!unconfirmedStop) return undefined;
    return `SERVICE_ROBOT_MAPPING_PATH: ${unconfirmedStop}: nothing lets the robot confirm that it has stopped; add \`still\`, or a service with \`success\``;
  }

  catalogue(): ReadonlyMap<string, CommandSpec> {
    return this.#catalogue;
  }

  async send(command: RobotCommand, options: SendOptions): Promise<RobotAnswer> {
    this.#tools.connections.requireOpen();
    if (this.#tools.clock() >= options.deadline) throw tooLate();
    const mapped = this.#mapping.commands.get(command.command);
    if (!mapped) throw new ServiceError('robot_error', { detail: `The robot has no command "${command.command}".` });
    const problem = this.problem();
    if (problem !== undefined && command.arrivedAt !== undefined) {
      throw robotUnavailable(`What moves the robot is refused. ${problem}. Nothing was sent; stop works.`);
    }
    return runWay(this.#tools, mapped, command, options);
  }

  async stop(options: SendOptions): Promise<StopReport> {
    this.fence.raise();
    this.#tools.pauses.end(stopped(), 'motion');
    this.#tools.connections.urgent.requireOpen();
    const run = new StopRun(this.#tools, this.#mapping, this.#actions, options);
    this.#stops.add(run);
    return run.run().finally(() => this.#stops.delete(run));
  }

  close(): void {
    this.#tools.form.close();
    this.#tools.connections.close();
  }

  #received(message: JsonObject, lane: Lane): void {
    const { op, id, level, msg } = message;
    const { topics, services, form, goals, publications } = this.#tools;
    if (op === 'publish') topics.received(message, lane);
    else if (op === 'service_response' && typeof id === 'string') services.answered(id, message);
    else if (op === 'action_feedback' || op === 'action_result') form.received(message);
    else if (op === 'status' && level === 'error' && typeof msg === 'string') {
      this.#logger.warn({ status: msg.slice(0, MAX_LOGGED_REASON) }, 'the rosbridge server reports an error');
      const error = refusal(`The robot refuses: ${msg}`);
      if (typeof id === 'string') services.refused(id, error);
      goals.ended(id, { how: 'failed', result: null, message: error.message });
      publications.failed(id, msg);
    }
  }

  #lost(lane: Lane, onPurpose: boolean): void {
    const { connections, services, topics, pauses, goals, form } = this.#tools;
    const error = broken();
    services.lost(lane, error);
    topics.lost(lane, error);
    if (lane === 'ordinary') pauses.end(error, 'all');
    if (lane === 'urgent') for (const run of this.#stops) run.abort(error);
    if (lane !== form.toldOver) return;
    const byStop = onPurpose && this.#stops.size > 0 && connections.urgent.connected;
    for (const goal of goals.underWay()) {
      // One that a stop cuts off on its way to the robot is waited for by that stop.
      if (byStop && !goal.isAccepted) continue;
      goal.dismissWaiters(error);
      if (lane === 'ordinary') goals.lose(goal, 'The link broke; how it ended is not known');
    }
  }
}

/** Tells topics and actions what the mapping will use. Gives the names of all actions. */
function prepare({ commands, stop }: Mapping, topics: Topics, form: ActionForm): readonly string[] {
  const actions = new Map(stop.cancel.map((name) => [name, '']));
  const subscription = ({ name, type, throttle_ms }: { name: string; type: string; throttle_ms: number }) => ({
    name,
    type,
    throttleMs: throttle_ms,
  });
  for (const { way, relativeTo } of commands.values()) {
    if (way.way === 'publish') topics.advertise(way.publish.name, way.publish.type);
    if (way.way === 'topic') topics.follow(subscription(way.topic));
    if (way.way === 'action') actions.set(way.action.name, way.action.type);
    if (relativeTo) topics.follow(subscription(relativeTo));
  }
  for (const { name, type } of stop.publish) topics.advertise(name, type, 'urgent');
  if (stop.still) topics.follow(subscription(stop.still), 'urgent');
  for (const [name, type] of actions) form.prepare(name, type);
  return [...actions.keys()];
}
