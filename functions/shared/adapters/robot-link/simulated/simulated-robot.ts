import { Fence } from '../../../control/fence.ts';
import { ServiceError } from '../../../errors.ts';
import type { JsonValue } from '../../../json.ts';
import type { CommandSpec, RobotCommand, RobotLink, SendOptions, StopReport } from '../port.ts';
import { robotUnavailable } from '../robot-unavailable.ts';
import { CHARACTER_COMMANDS } from './character-commands.ts';
import type { CommandRow } from './command-row.ts';
import { MISSION_COMMANDS } from './mission-commands.ts';
import { MOTION_COMMANDS } from './motion-commands.ts';
import { PLANNING_COMMANDS } from './planning-commands.ts';
import { newRobot } from './robot-state.ts';
import { RUNE_COMMANDS } from './rune-commands.ts';
import { SENSE_COMMANDS } from './sense-commands.ts';

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

export interface SimulatedRobot extends RobotLink {
  readonly kind: 'simulated';
  send(command: RobotCommand, options: SendOptions): JsonValue | Promise<JsonValue>;
  /** Takes the link down or up again. While it is down the robot goes on with what it does. */
  setConnected(connected: boolean): void;
}

/**
 * A robot that exists in memory only. It answers at once, without a promise, except where it has to wait for something
 * to happen. Besides missions under way it holds no timer, and those keep no process alive.
 * @param clock now, in ms since the epoch.
 */
export function openSimulatedRobot(clock: () => number, fence = new Fence()): SimulatedRobot {
  const robot = newRobot(clock);
  let connected = true;

  function setConnected(now: boolean): void {
    connected = now;
    if (!connected) robot.missions.dismissWaiters(lost());
  }

  return {
    kind: 'simulated',
    fence,
    connected: () => connected,
    catalogue: () => CATALOGUE,
    setConnected,
    send({ command, value, sender, arrivedAt }: RobotCommand, options: SendOptions): JsonValue | Promise<JsonValue> {
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

function lost(): ServiceError {
  return robotUnavailable(
    'The link to the robot is down; it comes back by itself as soon as the robot can be reached.',
  );
}

function tooLate(): ServiceError {
  return new ServiceError('robot_timeout', { detail: 'The time for this command was over before it could begin.' });
}
