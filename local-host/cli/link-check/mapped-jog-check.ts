import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from './check.ts';
import { NotChecked } from './endings.ts';
import { type MappedBench, type MappedRobot, sentenceOf } from './mapped-robot.ts';

const CREEP = { vx: 0.1, vy: 0, wz: 0 };
const STILL = { vx: 0, vy: 0, wz: 0 };
const FRAMES = 16;
const FRAME_MS = 50;
/** How long a base is looked at: two reports without movement, at least, show that it stands. */
const WINDOW_MS = 1_000;
const LOOK_MS = 5_000;
/** How long it may take to come to rest after its watchdog: it has to brake, and to report it. */
const BRAKE_MS = 3_000;

export const mappedJog: Check<MappedBench> = {
  name: 'jog',
  title: 'Driven by hand, its base stops by itself when the velocities cease',
  moves: true,
  async run({ robot }) {
    const { jog, watch } = robot;
    if (!jog) throw new NotChecked('The mapping has no "jog".');
    const shown = () => watch.base.count(performance.now() - WINDOW_MS) >= 2;
    if (!(await robot.until(shown, LOOK_MS)))
      throw new NotChecked(
        'No topic of "state" shows at least twice a second how the base moves (an Odometry does), so it was not driven.',
      );
    const faults = await driven(robot, jog.watchdogMs);
    return [...faults, ...(await robot.stop())];
  },
};

async function driven(robot: MappedRobot, watchdogMs: number): Promise<string[]> {
  const { base } = robot.watch;
  const since = performance.now();
  try {
    robot.drive(STILL);
    for (let frame = 0; frame < FRAMES; frame += 1) {
      await sleep(FRAME_MS);
      robot.drive(CREEP);
    }
  } catch (error) {
    return [`It cannot be driven by hand: ${sentenceOf(error)}`];
  }
  const ceasedAt = performance.now();
  await sleep(watchdogMs);
  const stands = () => {
    const from = performance.now() - WINDOW_MS;
    return base.count(from) >= 2 && !base.seen(from);
  };
  const stood = await robot.until(stands, BRAKE_MS + WINDOW_MS);
  if (!base.seen(since)) return ['Driven by hand, no movement was reported.'];
  if (stood) return [];
  if (base.count(ceasedAt) < 2) {
    await robot.stop();
    throw new NotChecked('The base no longer reported how it moves, so whether it stopped by itself is not known.');
  }
  return [`It drives on when the velocities cease: the base itself must stop after ${watchdogMs} ms.`];
}
