import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonValue } from '../../../functions/shared/kit/json.ts';
import { type Bench, told } from './bench.ts';
import type { Check } from './check.ts';
import { NotChecked } from './endings.ts';
import { staysStill, WATCH_MS } from './message-checks.ts';
import type { Answer } from './robot-caller.ts';

/** A stop needs 300 ms of standstill; networks lengthen what is measured here, clocks and timers round it. */
const SOONEST_MS = 280;
/** Reports may be so old when they arrive. */
const REPORT_AGE_MS = 150;
const QUERIES = 30;

export const stopIdle: Check = {
  name: 'stop',
  title: 'A stop is confirmed after 300 ms of standstill, with the number raised',
  moves: false,
  async run(bench) {
    const { caller } = bench;
    const before = caller.fence;
    const sentAt = performance.now();
    const answer = await caller.stop();
    const faults = stopFaults(answer, performance.now() - sentAt);
    if (answer.ok === true && bench.online.features?.includes('fence')) {
      if (answer.fence === undefined || answer.fence <= before)
        faults.push(`The answer to a stop must have a "fence" above ${before}; it says ${answer.fence}.`);
      const far = await caller.stop({ fence: before + 1_000 });
      if (far.ok === true && far.fence !== before + 1_001)
        faults.push(
          `A stop with "fence": ${before + 1_000} must raise the number to one above; the answer says ${far.fence}.`,
        );
      const isTold = () => bench.online.fence === caller.fence;
      if (!(await bench.until(isTold, 5_000))) faults.push('Presence must be published again when the number changes.');
    }
    return faults;
  },
};

export const stopBusy: Check = {
  name: 'stop-busy',
  title: 'A stop is not queued behind other commands, and ends the motion and its mission',
  moves: true,
  async run(bench) {
    const { caller, probe } = bench;
    const mission = await bench.move();
    const waiting = mission === undefined ? [] : [waitFor(bench, mission)];
    for (let count = 0; count < QUERIES; count += 1) void caller.ask(probe);
    const sentAt = performance.now();
    const answer = await caller.stop();
    const confirmedAt = performance.now();
    const faults = stopFaults(answer, confirmedAt - sentAt);
    await sleep(WATCH_MS);
    if (answer.ok === true && caller.movement.seen(confirmedAt - REPORT_AGE_MS))
      faults.push('The stop was confirmed while the robot still moved by its own reports.');
    for (const wait of waiting) faults.push(...endedFaults(await wait, 'the stop'));
    return faults;
  },
};

export const stopDriven: Check = {
  name: 'stop-driven',
  title: 'A stop is not confirmed while another program drives the robot',
  moves: true,
  async run({ caller, parts }) {
    if (!parts.isDriven)
      throw new NotChecked(
        'Let another program, or a hand, move the robot all the time, and add --driven --only stop-driven.',
      );
    const since = performance.now();
    await sleep(WATCH_MS);
    if (!caller.movement.seen(since)) throw new NotChecked('The robot does not report that anything drives it.');
    const answer = await caller.stop();
    const confirmedAt = performance.now();
    await sleep(WATCH_MS);
    if (answer.ok !== true || !caller.movement.seen(confirmedAt - REPORT_AGE_MS)) return [];
    return ['The stop was confirmed although something else moved the robot: look at its sensors for 300 ms before.'];
  },
};

export const fence: Check = {
  name: 'fence',
  title: 'Motion that was sent before a stop does not move it',
  moves: true,
  async run(bench) {
    const { caller } = bench;
    const before = caller.fence;
    await bench.rest();
    if (caller.fence <= before) return ['A stop did not raise the number, so motion sent before it cannot be refused.'];
    const faults = await staysStill(bench, 'Motion with a number from before a stop', { fence: before }, ['stopped']);
    const refusal = await caller.ask(bench.motion.command, bench.motion.value, { fence: before });
    if (refusal.ok === false && refusal.error.code === 'stopped' && refusal.fence === undefined)
      faults.push('The refusal "stopped" must say the present number in "fence", so that senders go on from there.');
    await bench.rest();
    await bench.move();
    await bench.rest();
    return faults;
  },
};

export const replaced: Check = {
  name: 'replaced',
  title: 'A drive cancels the one under way, and says so',
  moves: true,
  async run(bench) {
    const { caller, motion } = bench;
    if (!motion.replaces) throw new NotChecked(`${motion.command} is no drive: its entry has no "replaces".`);
    const first = await bench.move();
    const wait = first === undefined ? undefined : waitFor(bench, first);
    const second = await caller.ask(motion.command, motion.value);
    const faults =
      second.ok === true && second.replaced ? [] : [`The second drive must say "replaced": true; ${told(second)}`];
    if (wait) faults.push(...endedFaults(await wait, 'the newer drive'));
    await bench.rest();
    return faults;
  },
};

/** The answer of `wait_for_skill`, or undefined where the robot has no such command. */
export async function waitFor({ caller, catalogue }: Bench, mission: string): Promise<Answer | undefined> {
  if (!catalogue.has('wait_for_skill')) return undefined;
  const now = Date.now();
  return caller.ask('wait_for_skill', mission, { deadline: now + 60_000, begin_by: now + 20_000 }, 60_000);
}

/** A fault unless a wait says that its mission did not finish. */
export function endedFaults(answer: Answer | undefined, by: string): string[] {
  if (answer === undefined) return [];
  const result: JsonValue = answer.ok === true ? answer.result : null;
  if (isJsonObject(result) && result.awaited === false) return [];
  return [`The mission that ${by} ended must be told by wait_for_skill with "awaited": false; ${told(answer)}`];
}

function stopFaults(answer: Answer, tookMs: number): string[] {
  if (answer.ok !== true) return [`A stop was not confirmed: ${told(answer)}`];
  const faults: string[] = [];
  if (!isJsonObject(answer.result) || answer.result.stopped !== true)
    faults.push(`A confirmed stop answers {"stopped": true}; ${told(answer)}`);
  if (tookMs < SOONEST_MS)
    faults.push(
      `The stop was confirmed after ${Math.round(tookMs)} ms: first the robot has to stand for 300 ms by its own sensors.`,
    );
  return faults;
}
