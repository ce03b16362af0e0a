import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink, Velocity } from '../../functions/shared/robot-link/port.ts';
import { testHub } from './event-hub.ts';
import { until } from './processes.ts';
import { broker, closing, start } from './python-example.ts';
import type { PythonRobot, RobotProgram } from './python-robot.ts';
import { silentLogger, testConfig } from './world.ts';

/** Ten times the watchdog of the example. */
const WATCHDOG_LIMIT_MS = 3_000;
export const STILL = { vx: 0, vy: 0, wz: 0 };
export const AHEAD = { vx: 0.2, vy: 0, wz: 0 };

/** A stick that is held: the newest velocity 20 times a second, as a client of the service sends it. */
export class Stick {
  readonly #link: RobotLink;
  readonly #timer: NodeJS.Timeout;
  velocity: Velocity = STILL;
  /** Codes of the frames that were refused. */
  readonly refused: unknown[] = [];

  constructor(link: RobotLink) {
    this.#link = link;
    this.#timer = setInterval(() => this.#send(), 50);
    closing.push(async () => this.drop());
  }

  /** Nothing is sent any more. */
  drop(): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    const frame = { velocity: this.velocity, seq: 1, validMs: 300, arrivedAt: arrivalStamp() };
    try {
      this.#link.jog?.()?.send(frame);
    } catch (error) {
      this.refused.push((error as { code?: unknown }).code); // as: a ServiceError
    }
  }
}

interface Surroundings {
  readonly environment?: Record<string, string>;
  /** Of the broker, or of a proxy before it. */
  readonly port?: number;
}

/** Starts the example, a link to it, and a stick that is not touched. */
export async function startDriving(program: RobotProgram, { environment = {}, port = broker.port }: Surroundings = {}) {
  const { robot, caller } = await start(program, environment);
  const url = new URL(broker.url('service', '/robot-1'));
  url.port = String(port);
  const { hub } = testHub();
  const missions: string[] = [];
  hub.observe('missions', ({ type }) => missions.push(type.slice('robot.missions.'.length)));
  const config = testConfig({ SERVICE_ROBOT_URL: url.href });
  const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now, events: hub });
  closing.push(async () => link.close());
  await until('the link has heard of it', () => link.connected() && link.state?.() !== undefined);
  const stick = new Stick(link);
  return { robot, caller, link, stick, missions };
}

/** The same, with the stick held ahead. */
export async function startMoving(program: RobotProgram, surroundings?: Surroundings) {
  const parts = await startDriving(program, surroundings);
  parts.stick.velocity = AHEAD;
  await until('it moves', () => parts.robot.moves());
  return parts;
}

export const stands = (robot: PythonRobot) => until('it stands', () => !robot.moves(), WATCHDOG_LIMIT_MS);
export const movedSince = (robot: PythonRobot, since: number) =>
  robot.speeds().some(({ at, speed }) => at > since && speed >= 0.01);
