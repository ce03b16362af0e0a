import type { SimulatedHome } from '../../simulated-home.ts';
import { Body } from './body.ts';
import { Missions } from './missions.ts';
import { Runes } from './runes.ts';

/** Everything there is of a simulated robot. */
export interface RobotState {
  readonly now: () => number;
  readonly body: Body;
  readonly battery: () => BatteryState;
  readonly runes: Runes;
  readonly missions: Missions;
  readonly settings: Settings;
  readonly home: SimulatedHome;
}

interface Settings {
  language: string;
  obstacleAvoidance: boolean;
  actionsByVoice: boolean;
}

/** A robot that has just been switched on, at the origin with a full battery. */
export function newRobot(clock: () => number, home: SimulatedHome): RobotState {
  const start = clock();
  const body = new Body(clock);
  return {
    now: clock,
    body,
    battery: () => batteryAfter(clock() - start),
    runes: new Runes(
      () => body.pose(),
      clock,
      () => home.runes(),
    ),
    home,
    missions: new Missions(),
    settings: { language: 'en', obstacleAvoidance: true, actionsByVoice: false },
  };
}

const HOUR = 3_600_000;
const DRAIN_MS = 8 * HOUR;
const CHARGE_MS = 2 * HOUR;
const FULL = 100;
const EMPTY = 15;

export interface BatteryState {
  /** Percent, one decimal. */
  readonly level: number;
  readonly charging: boolean;
}

/** The battery so many ms after the start: full at first, drained to 15 % in 8 hours, charged again in 2, and so on. */
export function batteryAfter(ms: number): BatteryState {
  const phase = Math.max(0, ms) % (DRAIN_MS + CHARGE_MS);
  const charging = phase >= DRAIN_MS;
  const filled = charging ? (phase - DRAIN_MS) / CHARGE_MS : 1 - phase / DRAIN_MS;
  return { level: Math.round((EMPTY + (FULL - EMPTY) * filled) * 10) / 10, charging };
}
