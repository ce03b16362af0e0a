import { Fence } from '../../../control/fence.ts';
import { isStill } from '../../../control/jog-velocity.ts';
import { ServiceError } from '../../../errors.ts';
import { type Events, NO_EVENTS } from '../../../events/events.port.ts';
import type { CommandSpec, Jog, RobotAnswer, RobotCommand, RobotLink, SendOptions, StopReport } from '../../port.ts';
import { type SimulatedHome, starterHome } from '../../simulated-home.ts';
import { publishMission } from '../mission-events.ts';
import { robotUnavailable, tooLate } from '../robot-errors.ts';
import { CHARACTER_COMMANDS } from './character-commands.ts';
import type { CommandRow } from './command-row.ts';
import { MISSION_COMMANDS } from './mission-commands.ts';
import { MOTION_COMMANDS } from './motion-commands.ts';
import { jointsOf, stateOf } from './reports.ts';
import { newRobot, type RobotState } from './robot-state.ts';
import { RUNE_COMMANDS } from './rune-commands.ts';
import { PLANNING_COMMANDS, SENSE_COMMANDS } from './sense-commands.ts';
import { TOPICS } from './topics.ts';

const ROWS: ReadonlyMap<string, CommandRow> = new Map(
  [
    ...MOTION_COMMANDS,
    ...MISSION_COMMANDS,
    ...SENSE_COMMANDS,
    ...RUNE_COMMANDS,
    ...CHARACTER_COMMANDS,
    ...PLANNING_COMMANDS,
  ].map((row) => [row.spec.name, row]),
);
const CATALOGUE: ReadonlyMap<string, CommandSpec> = new Map([...ROWS].map(([name, { spec }]) => [name, spec]));

/** It stops by itself if it receives no velocity for this time. */
const WATCHDOG_MS = 500;

/** The surroundings of a simulated robot; by default a small home, and no listeners. */
interface Environment {
  readonly home?: SimulatedHome | undefined;
  /** Where it publishes mission events. */
  readonly events?: Events;
}

export interface SimulatedRobot extends RobotLink {
  readonly kind: 'simulated';
  /** Takes the link down or up. The robot continues while it is down. */
  setConnected(connected: boolean): void;
}

/**
 * A robot that exists only in memory. It answers synchronously unless it has to wait for something. It has no timers
 * except for active missions, and those do not keep the process alive.
 * @param clock the current time in ms since the epoch.
 */
export function openSimulatedRobot(
  clock: () => number,
  fence = new Fence(),
  { home = starterHome(), events = NO_EVENTS }: Environment = {},
): SimulatedRobot {
  const robot = newRobot(clock, home);
  robot.missions.observe((change, mission) => publishMission(events, change, mission));
  home.emergencyStop?.onChange(() => {
    if (home.emergencyStop?.state === 'engaged') robot.body.freeze();
  });
  let connected = true;
  const jog = jogOf(robot, (arrivedAt) => {
    if (!connected) throw lost();
    fence.admit(arrivedAt);
  });

  function setConnected(now: boolean): void {
    connected = now;
    if (!connected) robot.missions.rejectWaiting(lost());
  }

  return {
    kind: 'simulated',
    fence,
    connected: () => connected,
    catalogue: () => CATALOGUE,
    state: () => (connected ? stateOf(robot) : undefined),
    joints: () => (connected ? jointsOf(robot) : undefined),
    jog: () => jog,
    emergencyStop: () => home.emergencyStop,
    topic: (name) => (connected && Object.hasOwn(TOPICS, name) ? TOPICS[name]?.(robot) : undefined),
    setConnected,
    send(
      { command, value, sender, arrivedAt }: RobotCommand,
      options: SendOptions,
    ): RobotAnswer | Promise<RobotAnswer> {
      if (!connected) throw lost();
      if (clock() >= options.deadline) throw tooLate();
      const row = ROWS.get(command);
      if (!row) throw new ServiceError('robot_error', { detail: `The robot does not know the command "${command}".` });
      fence.admit(arrivedAt);
      return row.run(robot, value, { sender, waiting: options });
    },
    stop(): StopReport {
      fence.raise();
      if (!connected) throw lost();
      robot.body.freeze();
      return { stopped: true, cancelled_missions: robot.missions.cancelAll() };
    },
    close(): void {
      setConnected(false);
      robot.missions.cancelAll();
    },
  };
}

/** @param admit checks the time of arrival; zero velocity has none and passes. */
function jogOf({ body, missions }: RobotState, admit: (arrivedAt?: number) => void): Jog {
  return {
    watchdogMs: WATCHDOG_MS,
    get maxLinear() {
      return body.maxVelocity.linear;
    },
    get maxAngular() {
      return body.maxVelocity.angular;
    },
    send({ velocity, validMs, arrivedAt }) {
      if (isStill(velocity)) {
        admit();
        body.brake();
      } else {
        admit(arrivedAt);
        body.drive(velocity, Math.min(validMs, WATCHDOG_MS) / 1000);
      }
    },
    makeWay() {
      missions.cancelAll();
      return undefined;
    },
  };
}

function lost(): ServiceError {
  return robotUnavailable('The link to the robot is down; it is restored automatically once the robot can be reached.');
}
