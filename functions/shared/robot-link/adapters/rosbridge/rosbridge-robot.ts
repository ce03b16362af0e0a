import { setTimeout as sleep } from 'node:timers/promises';
import { Fence, stopped } from '../../../control/fence.ts';
import { ServiceError } from '../../../errors.ts';
import type { JointsChanged, ReportedState } from '../../../events/data.schema.ts';
import { type Events, NO_EVENTS } from '../../../events/events.port.ts';
import type { JsonObject } from '../../../kit/json.ts';
import type { Logger } from '../../../observability/logger.ts';
import { NO_METRICS, type RobotMetrics } from '../../../observability/metrics.port.ts';
import type {
  CommandSpec,
  EmergencyStop,
  Jog,
  RobotAnswer,
  RobotCommand,
  RobotLink,
  SendOptions,
  StopReport,
} from '../../port.ts';
import type { LinkWorld } from '../link-world.ts';
import { publishMission } from '../mission-events.ts';
import { linkBroken, robotUnavailable, tooLate } from '../robot-errors.ts';
import type { ActionForm } from './action-form.ts';
import { Connections, type Lane } from './connections.ts';
import { Drives } from './drives.ts';
import { ReportedEmergencyStop } from './emergency-stop.ts';
import { Goals } from './goals.ts';
import { RosbridgeJog } from './jog.ts';
import type { Mapping } from './mapping.ts';
import { prepare } from './prepare.ts';
import { Pauses, Publications } from './publications.ts';
import { MAX_WATCHDOG_MS } from './report.schema.ts';
import { Ros1Actions } from './ros1-actions.ts';
import { Ros2Actions } from './ros2-actions.ts';
import { runWay, type Tools } from './run-way.ts';
import { SelfReport } from './self-report.ts';
import { refusal, Services } from './services.ts';
import { StopRun } from './stop-robot.ts';
import { Topics } from './topics.ts';

/** How long the start waits for the robot; after that, the link keeps connecting in the background. */
const FIRST_CONNECT_MS = 1_000;
const MAX_LOGGED_REASON = 300;

export interface Surroundings extends Omit<LinkWorld, 'metrics'> {
  readonly url: string;
  readonly mapping: Mapping;
  readonly fence?: Fence;
  /** Where mission events are published. */
  readonly events?: Events;
  readonly metrics?: Pick<RobotMetrics, 'linkLost'>;
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
  readonly #selfReport: SelfReport;
  readonly #emergencyStop: ReportedEmergencyStop | undefined;
  readonly #metrics: Pick<RobotMetrics, 'linkLost'>;

  constructor(surroundings: Surroundings) {
    const { url, mapping, logger, clock, refusals, stopsOnly } = surroundings;
    const { fence = new Fence(), metrics = NO_METRICS, events = NO_EVENTS } = surroundings;
    this.fence = fence;
    this.#metrics = metrics;
    this.#mapping = mapping;
    this.#logger = logger;
    this.#catalogue = new Map([...mapping.commands].map(([name, { spec }]) => [name, spec]));
    const connections = new Connections(
      url,
      { logger, fence, refusals, withJog: mapping.reports.jog !== undefined },
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
    const drives = new Drives({ goals, form, pauses, services });
    goals.observe((change, goal) => {
      if (!goal.ending?.isRefused) publishMission(events, change, goal);
    });
    const { jog, estop } = mapping.reports;
    const assertUsable = () => this.#assertStoppable();
    const jogParts = { connections, services, topics, drives, fence, clock, assertUsable };
    this.#tools = {
      ...{ connections, services, topics, publications, goals, drives, fence, form, pauses, clock },
      ...(jog && { jog: new RosbridgeJog(jog, mapping.ros, jogParts) }),
    };
    this.#selfReport = new SelfReport(mapping.reports, topics, logger);
    this.#emergencyStop = estop && new ReportedEmergencyStop(estop, topics);
    this.#actions = prepare(mapping, { topics, form, stopsOnly });
    if (mapping.unconfirmedStop) logger.warn({ problem: this.problem() }, 'commands that move the robot are refused');
    for (const note of this.notes()) logger.warn({ note }, 'the robot cannot be driven manually');
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

  notes(): readonly string[] {
    const { unguardedJog } = this.#mapping;
    if (!unguardedJog) return [];
    return [
      `SERVICE_ROBOT_MAPPING_PATH: ${unguardedJog}: the robot cannot be driven manually; set \`watchdog_ms\` to at most ${MAX_WATCHDOG_MS}, after which the base stops by itself`,
    ];
  }

  state(): ReportedState | undefined {
    return this.#isReached ? this.#selfReport.state() : undefined;
  }

  joints(): JointsChanged | undefined {
    return this.#isReached ? this.#selfReport.joints() : undefined;
  }

  jog(): Jog | undefined {
    return this.#tools.jog;
  }

  emergencyStop(): EmergencyStop | undefined {
    return this.#emergencyStop;
  }

  catalogue(): ReadonlyMap<string, CommandSpec> {
    return this.#catalogue;
  }

  async send(command: RobotCommand, options: SendOptions): Promise<RobotAnswer> {
    this.#tools.connections.requireOpen();
    if (this.#tools.clock() >= options.deadline) throw tooLate();
    const mapped = this.#mapping.commands.get(command.command);
    if (!mapped) throw new ServiceError('robot_error', { detail: `The robot has no command "${command.command}".` });
    if (command.arrivedAt !== undefined) this.#assertStoppable();
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

  /** Reports from shortly before a stop reset the command connection are still valid. */
  get #isReached(): boolean {
    return this.#tools.connections.urgent.connected;
  }

  /** @throws ServiceError `robot_unavailable` when the robot cannot confirm a stop. */
  #assertStoppable(): void {
    const problem = this.problem();
    if (problem === undefined) return;
    throw robotUnavailable(`Motion is refused. ${problem}. Nothing was sent; stop works.`);
  }

  close(): void {
    this.#emergencyStop?.close();
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
      goals.ended(id, { how: 'failed', result: null, message: error.message, isRefused: true });
      publications.failed(id, msg);
    }
  }

  #lost(lane: Lane, onPurpose: boolean): void {
    const { connections, services, topics, pauses, goals, form, jog } = this.#tools;
    // All connections lead to one server: only the one that carries the stops is counted.
    if (lane === 'urgent' && !onPurpose) this.#metrics.linkLost('rosbridge');
    const error = linkBroken();
    services.lost(lane, error);
    topics.lost(lane, error);
    if (lane === 'ordinary') pauses.end(error, 'all');
    if (lane === 'jog') jog?.lost();
    if (lane === 'urgent') {
      for (const run of this.#stops) run.abort(error);
      this.#emergencyStop?.lose();
      jog?.lostUrgent();
    }
    if (lane !== form.toldOver) return;
    const byStop = onPurpose && this.#stops.size > 0 && connections.urgent.connected;
    for (const goal of goals.underWay()) {
      // A stop waits for the goals whose connection it resets.
      if (byStop && !goal.isAccepted) continue;
      goal.rejectWaiting(error);
      if (lane === 'ordinary') goals.lose(goal, 'The link was lost; the outcome is unknown');
    }
  }
}
