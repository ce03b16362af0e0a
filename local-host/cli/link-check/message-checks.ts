import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, refusedWith, told } from './bench.ts';
import type { Check } from './check.ts';

/** How long a robot is watched for a movement that must not come, in ms. */
export const WATCH_MS = 1_200;

const late = (): { issued_at: number; deadline: number } => {
  const now = Date.now();
  return { issued_at: now - 8_000, deadline: now - 3_000 };
};

export const lateCommands: Check = {
  name: 'late',
  title: 'It refuses late commands, and stops whatever the time',
  moves: false,
  async run(bench) {
    const { caller, probe, parts } = bench;
    const faults = refusedWith(await caller.ask(probe, undefined, late()), ['robot_timeout'], `${probe}, 3 s late`);
    const wait = [...bench.catalogue.values()].find(({ waits, kind }) => waits && kind === 'str');
    if (wait) {
      const begun = await caller.ask(wait.name, 'no-such-mission', { begin_by: Date.now() - 3_000 });
      faults.push(...refusedWith(begun, ['robot_timeout'], `${wait.name} after its begin_by`));
    }
    if (parts.motion) faults.push(...(await staysStill(bench, `${parts.motion.command}, 3 s late`, late())));
    const stopped = await caller.stop(late());
    if (stopped.ok !== true) faults.push(`A late stop must be carried out like any other: ${told(stopped)}`);
    return faults;
  },
};

export const clock: Check = {
  name: 'clock',
  title: 'It refuses commands from a clock 3 s ahead of its own, and says so',
  moves: false,
  async run({ caller, probe }) {
    const ahead = () => ({ issued_at: Date.now() + 3_000, deadline: Date.now() + 33_000 });
    const answer = await caller.ask(probe, undefined, ahead());
    const faults = refusedWith(answer, ['robot_unavailable'], `${probe}, issued 3 s in the future`);
    if (answer.ok === false && !/\bNTP\b/.test(answer.error.detail))
      faults.push('The refusal must say by how much the clocks differ, and name NTP.');
    const now = await caller.ask(probe);
    if (now.ok !== true) faults.push(`The clocks of the robot and of this machine disagree: ${told(now)}`);
    const stopped = await caller.stop(ahead());
    if (stopped.ok !== true) faults.push(`A stop from a clock ahead must be carried out: ${told(stopped)}`);
    return faults;
  },
};

export const repeated: Check = {
  name: 'repeated',
  title: 'It runs a message once, however often it arrives',
  moves: false,
  async run({ caller, probe }) {
    const id = `link-check-${Date.now()}-again`;
    const deadline = Date.now() + 30_000;
    const [first] = Array.from({ length: 5 }, () => caller.ask(probe, undefined, { id, deadline })).reverse();
    await first; // the last one that was sent is the one that waits
    await caller.ask(probe); // what was sent before it is answered by now, or soon
    await sleep(300);
    const times = caller.answered.filter((answered) => answered === id).length;
    return times === 1 ? [] : [`${probe}, sent 5 times with one id, was answered ${times} times instead of once.`];
  },
};

const GARBAGE = [
  '',
  'null',
  '[]',
  '"x"',
  '{',
  '{"v":1}',
  '\u0000\u0001',
  '['.repeat(50_000),
  '{"v":1,"deadline":1e999}',
];
const WRONG = [
  { v: 2 },
  { id: 'short' },
  { command: 5 },
  { deadline: 'soon' },
  { fence: -1 },
  { sender: 'me' },
  { issued_at: null },
];

export const garbage: Check = {
  name: 'garbage',
  title: 'It survives messages that are none',
  moves: false,
  async run(bench) {
    const { caller, probe } = bench;
    const { session } = caller;
    for (const text of GARBAGE) {
      caller.raw('commands', text);
      caller.raw('commands', text, 'link-check-garbage-id');
      caller.raw('jog', text);
    }
    const faults: string[] = [];
    for (const members of WRONG) {
      bench.assertOnline();
      const answer = await caller.say('commands', { command: probe, sender: SENDER, ...members }, 3_000);
      const what = `A command with ${JSON.stringify(members)}`;
      if (answer.ok !== 'missing') faults.push(...refusedWith(answer, ['validation_failed'], what));
    }
    const answer = await caller.ask(probe);
    if (answer.ok !== true) faults.push(`${probe}, after messages that are no JSON: ${told(answer)}`);
    if (caller.session !== session)
      faults.push('The robot connected anew: what it cannot parse must not end its program.');
    for (const text of ['', 'halt!', '[']) caller.raw('stop', text);
    const stopped = await caller.stop();
    if (stopped.ok !== true) faults.push(`A stop after stops that are no JSON: ${told(stopped)}`);
    return faults;
  },
};

const SENDER = { client_id: 'link-check', access_level: 'USER', key_id: 'link-check' };

/** Sends the motion with these members: it has to be refused, and nothing may move. */
export async function staysStill(
  bench: Bench,
  what: string,
  members: Readonly<Record<string, unknown>>,
  codes: readonly string[] = ['robot_timeout'],
): Promise<string[]> {
  const { caller, motion } = bench;
  await bench.comesToRest();
  const since = performance.now();
  const faults = refusedWith(await caller.ask(motion.command, motion.value, members), codes, what);
  await sleep(WATCH_MS);
  if (caller.movement.seen(since)) faults.push(`${what}: the robot moved.`);
  if (faults.length > 0) await bench.rest();
  return faults;
}
