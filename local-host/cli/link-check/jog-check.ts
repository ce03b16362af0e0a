import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Velocity } from '../../../functions/shared/robot-link/port.ts';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { NotChecked } from './endings.ts';
import { WATCH_MS } from './message-checks.ts';

const STILL = { vx: 0, vy: 0, wz: 0 };
/** m/s; slower where the robot is. */
const SPEED = 0.1;
const DRIVE_MS = 800;
const FRAME_MS = 50;
/** How long the stick is let go: longer than the 50 ms within which delayed frames arrive. */
const LET_GO_MS = 200;
/** How long it may take to come to rest after the watchdog: it has to brake, and to report it. */
const BRAKE_MS = 3_000;

export const jog: Check = {
  name: 'jog',
  title: 'Driven by hand, it stands when the frames cease, and until the stick was let go',
  moves: true,
  async run(bench) {
    const { caller, online } = bench;
    const offer = online.jog;
    if (!offer) throw new NotChecked('The robot does not offer to be driven by hand.');
    const ahead = { vx: Math.min(SPEED, offer.max_linear ?? SPEED), vy: 0, wz: 0 };
    const faults: string[] = [];

    await letGo(bench);
    let since = performance.now();
    await drive(bench, ahead);
    if (!caller.movement.seen(since))
      faults.push('Frames after one of zero velocity must move it; no movement was reported.');
    await sleep(offer.watchdog_ms);
    if (!(await bench.comesToRest(BRAKE_MS)))
      faults.push(`When no frame has come for ${offer.watchdog_ms} ms (watchdog_ms), it has to stand still by itself.`);

    since = performance.now();
    await drive(bench, ahead);
    await sleep(WATCH_MS);
    if (caller.movement.seen(since))
      faults.push('After the watchdog, frames must not move it before one of zero velocity: the stick was not let go.');

    await bench.rest();
    await bench.comesToRest();
    since = performance.now();
    await letGo(bench, { fence: caller.fence - 1 });
    await drive(bench, ahead, { fence: caller.fence - 1 });
    await sleep(WATCH_MS);
    if (caller.movement.seen(since)) faults.push('Frames with a number from before a stop must not move it.');

    await letGo(bench);
    since = performance.now();
    await drive(bench, ahead, { vx: 'fast' });
    await sleep(WATCH_MS);
    if (caller.movement.seen(since)) faults.push('A frame that cannot be read counts as zero velocity; it moved.');
    await bench.rest();
    return faults;
  },
};

async function letGo({ caller }: Bench, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  caller.jog(STILL, more);
  await sleep(LET_GO_MS);
}

async function drive(
  { caller }: Bench,
  velocity: Velocity,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  for (let passed = 0; passed < DRIVE_MS; passed += FRAME_MS) {
    caller.jog(velocity, more);
    await sleep(FRAME_MS);
  }
}
