import { type BatteryState, batteryAfter } from './battery.ts';
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
}

interface Settings {
  language: string;
  /** Percent. */
  soundLevel: number;
  obstacleAvoidance: boolean;
  actionsByVoice: boolean;
}

/** A robot that has just been switched on, at the origin with a full battery. */
export function newRobot(clock: () => number): RobotState {
  const start = clock();
  const body = new Body(clock);
  return {
    now: clock,
    body,
    battery: () => batteryAfter(clock() - start),
    runes: new Runes(() => body.pose(), clock),
    missions: new Missions(),
    settings: { language: 'en', soundLevel: 50, obstacleAvoidance: true, actionsByVoice: false },
  };
}
