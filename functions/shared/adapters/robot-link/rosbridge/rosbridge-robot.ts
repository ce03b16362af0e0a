import { setTimeout as sleep } from 'node:timers/promises';
import { Fence } from '../../../control/fence.ts';
import { ServiceError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../json.ts';
import type { Logger } from '../../../logger.ts';
import type { CommandSpec, RobotCommand, RobotLink, SendOptions, StopReport } from '../port.ts';
import type { ActionForm, GoalReports } from './action-form.ts';
import { Calls } from './calls.ts';
import { broken } from './connection.ts';
import { Goals } from './goals.ts';
import { Lanes } from './lanes.ts';
import type { Mapping } from './mapping.ts';
import { Repeats } from './repeats.ts';
import { Ros1Actions } from './ros1-actions.ts';
import { Ros2Actions } from './ros2-actions.ts';
import { runWay, type Tools, tooLate } from './run-way.ts';
import { refusal, Services } from './services.ts';
import { stopRobot } from './stop-robot.ts';
import { Topics } from './topics.ts';

/** How long a start waits for the robot; after that it goes on and the link comes when it comes. */
const FIRST_CONNECT_MS = 1_000;

export interface Surroundings {
  readonly url: string;
  readonly mapping: Mapping;
  readonly logger: Logger;
  /** Now, in ms since the epoch. */
  readonly clock: () => number;
  readonly fence?: Fence;
}

/** A robot that runs ROS, reached through a rosbridge server (rosbridge protocol 2.0). */
export async function openRosbridgeRobot({
  url,
  mapping,
  logger,
  clock,
  fence = new Fence(),
}: Surroundings): Promise<RobotLink> {
  const calls = new Calls();
  const goals = new Goals();
  const repeats = new Repeats();
  const topics = new Topics();
  const services = new Services(() => lanes, calls);
  const reports: GoalReports = {
    mentioned(id, begun) {
      const goal = goals.find(id);
      if (goal) goals.heard(goal);
      if (begun) goal?.start();
      const condemned = goals.condemned(id);
      if (condemned) form.cancel(condemned);
    },
    ended(id, ending) {
      const goal = goals.find(id) ?? goals.condemned(id);
      if (goal) goals.end(goal, ending);
    },
  };
  const form: ActionForm =
    mapping.ros === 1 ? new Ros1Actions(() => lanes, topics, reports) : new Ros2Actions(() => lanes, services, reports);
  const actions = prepare(mapping, topics, form);
  const catalogue: ReadonlyMap<string, CommandSpec> = new Map(
    [...mapping.commands].map(([name, { spec }]) => [name, spec]),
  );

  function received(message: JsonObject): void {
    const { op, id, level, msg } = message;
    if (op === 'publish') topics.received(message);
    else if (op === 'service_response' && typeof id === 'string') calls.settle(id, message);
    else if (op === 'action_feedback' || op === 'action_result') form.received(message);
    else if (op === 'status' && level === 'error' && typeof msg === 'string') {
      logger.warn({ status: msg.slice(0, 300) }, 'the rosbridge server reports an error');
      const error = refusal(`The robot refuses: ${msg}`);
      if (typeof id === 'string') calls.fail(error, id);
      reports.ended(id, { how: 'failed', result: null, message: error.message });
    }
  }

  const lanes: Lanes = new Lanes(url, logger, {
    opened: (connection, lane) => topics.opened(connection, lane),
    received,
    lost() {
      const error = broken();
      repeats.dropAll();
      calls.fail(error);
      topics.lost(error);
      goals.lost(error, form.tellsAlways);
    },
  });
  const tools: Tools = { lanes: () => lanes, services, topics, goals, form, repeats, clock };
  await Promise.race([lanes.attempted(), sleep(FIRST_CONNECT_MS, undefined, { ref: false })]);

  return {
    kind: 'rosbridge',
    fence,
    connected: () => lanes.connected,
    catalogue: () => catalogue,
    async send(command: RobotCommand, options: SendOptions): Promise<JsonValue> {
      lanes.requireOpen();
      if (clock() >= options.deadline) throw tooLate();
      const mapped = mapping.commands.get(command.command);
      if (!mapped) throw new ServiceError('robot_error', { detail: `The robot has no command "${command.command}".` });
      return runWay(tools, mapped, command, options);
    },
    async stop(options: SendOptions): Promise<StopReport> {
      fence.raise();
      lanes.requireOpen();
      return stopRobot(tools, mapping.stop, actions, options);
    },
    close: () => lanes.close(),
  };
}

/** Tells topics and actions what the mapping will use. Gives the names of all actions. */
function prepare({ commands, stop }: Mapping, topics: Topics, form: ActionForm): readonly string[] {
  const actions = new Map(stop.cancel.map((name) => [name, '']));
  const follow = ({ name, type, throttle_ms }: { name: string; type: string; throttle_ms: number }) =>
    topics.follow({ name, type, throttleMs: throttle_ms });
  for (const { way, relativeTo } of commands.values()) {
    if (way.way === 'publish') topics.advertise(way.publish.name, way.publish.type);
    if (way.way === 'topic') follow(way.topic);
    if (way.way === 'action') actions.set(way.action.name, way.action.type);
    if (relativeTo) follow(relativeTo);
  }
  for (const { name, type } of stop.publish) topics.advertise(name, type, 'urgent');
  if (stop.still) follow(stop.still);
  for (const [name, type] of actions) form.prepare(name, type);
  return [...actions.keys()];
}
