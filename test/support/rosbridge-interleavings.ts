import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';
import type { StandInGoal } from './rosbridge-actions.ts';
import { type Scene, scene } from './rosbridge-link.ts';
import { RosbridgeStandIn } from './rosbridge-server.ts';

const mapping = (ros: 1 | 2) => {
  const [msg, action] = ros === 1 ? ['', 'a/GoAction'] : ['msg/', 'a/action/Go'];
  return `
ros: ${ros}
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/${msg}Twist, times: 2, every_ms: 5 }]
  service: [{ name: /halt, success: $answer.ok }]
commands:
  go: { title: Go, kind: dict, action: { name: /nav, type: ${action}, goal: { n: $value.n } } }
  arrive: { title: Arrive, kind: dict, action: { name: /nav, type: ${action}, goal: { n: $value.n }, answers: finished } }
  go_by:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/${msg}Odometry, pose: pose, max_age_ms: 100, throttle_ms: 0 }
    action: { name: /nav, type: ${action}, goal: { n: $theta } }
  drive: { title: Drive, kind: dict, publish: { name: /drive, type: a/${msg}Speed, message: { n: $value.n }, times: 4, every_ms: 4 } }
  nudge: { title: Nudge, kind: dict, service: { name: /nudge, args: { n: $value.n } } }
`;
};
const ODOMETRY = {
  header: { frame_id: 'odom' },
  pose: { position: { x: 0, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
};

const ms = (max: number) => fc.integer({ min: 0, max });
const Interleaving = fc.record({
  ros: fc.constantFrom(1 as const, 2 as const),
  oneAtATime: fc.boolean(),
  poseMs: fc.integer({ min: 2, max: 40 }),
  beginMs: ms(15),
  endMs: ms(60),
  cancelMs: ms(25),
  serviceMs: ms(10),
  steps: fc.array(
    fc.record({
      waitMs: ms(8),
      act: fc.constantFrom('go', 'arrive', 'go_by', 'drive', 'nudge', 'stop'),
    }),
    { minLength: 3, maxLength: 12 },
  ),
});
type Interleaving = typeof Interleaving extends fc.Arbitrary<infer T> ? T : never;

/** The number of the command that a message carries out; undefined for every other message. */
function numberOf({ op, topic, service, args, msg }: JsonObject): number | undefined {
  const of = (value: JsonValue | undefined) => (value as JsonObject).n as number; // as: so the mapping makes them
  if (op === 'send_action_goal' || (op === 'call_service' && service === '/nudge')) return of(args);
  if (op === 'publish' && topic === '/drive') return of(msg);
  if (op === 'publish' && topic === '/nav/goal') return of((msg as JsonObject).goal); // as: messages are objects
  return undefined;
}

/** What every answered stop promises; the words of what was broken. */
class Witness {
  readonly broken: string[] = [];
  readonly stops: Array<{ readonly number: number; readonly lookedAt: number }> = [];
  readonly #ended = new Set<StandInGoal>();
  readonly #standIn: RosbridgeStandIn;

  constructor(standIn: RosbridgeStandIn) {
    this.#standIn = standIn;
  }

  ended(goal: StandInGoal): void {
    this.#ended.add(goal);
  }

  /** The goal is over, so that it cannot begin any more. */
  isOver(goal: StandInGoal): boolean {
    return this.#ended.has(goal);
  }

  answered(number: number): void {
    this.stops.push({ number, lookedAt: this.#standIn.received.length });
    for (const goal of this.#standIn.goals) {
      const own = (goal.args as JsonObject).n as number; // as: so the mapping makes them
      if (own < number && !this.#ended.has(goal)) this.broken.push(`goal ${own} is under way after stop ${number}`);
    }
  }

  look(): readonly string[] {
    for (const { number, lookedAt } of this.stops) {
      for (const message of this.#standIn.received.slice(lookedAt)) {
        const own = numberOf(message);
        if (own !== undefined && own < number) this.broken.push(`command ${own} was looked at after stop ${number}`);
      }
    }
    return this.broken;
  }
}

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

async function play(plan: Interleaving): Promise<{ broken: readonly string[]; stops: number }> {
  const standIn = await RosbridgeStandIn.start();
  const witness = new Witness(standIn);
  standIn.oneAtATime = plan.ros === 2 && plan.oneAtATime;
  const end = (goal: StandInGoal, how: 'succeeded' | 'cancelled') => {
    if (witness.isOver(goal)) return;
    witness.ended(goal);
    goal.end(how);
  };
  standIn.onGoal = (goal) => {
    setTimeout(() => witness.isOver(goal) || goal.begin(), plan.beginMs);
    setTimeout(() => end(goal, 'succeeded'), plan.beginMs + plan.endMs);
  };
  standIn.onCancel = (goal) => void setTimeout(() => end(goal, 'cancelled'), plan.cancelMs);
  standIn.services.set('/nudge', () => pause(plan.serviceMs).then(() => null));
  const telling = setInterval(() => standIn.publish('/odom', ODOMETRY), plan.poseMs);
  const each: Scene = await scene(mapping(plan.ros), standIn);
  const answers: Promise<unknown>[] = [];
  for (const [number, { waitMs, act }] of plan.steps.entries()) {
    if (waitMs > 0) await pause(waitMs);
    const value = act === 'go_by' ? { x: 0, y: 0, z: 0, theta: number } : { n: number };
    const answer = act === 'stop' ? each.stop().then(() => witness.answered(number)) : each.send(act, value);
    answers.push(answer.catch(() => undefined));
  }
  answers.push(
    each.stop().then(
      () => witness.answered(plan.steps.length),
      () => undefined,
    ),
  );
  // A command may wait for as long as its caller does; what is promised here is about what begins.
  await Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, LONGEST_MS).unref())]);
  await pause(30);
  clearInterval(telling);
  await each.link.close();
  await standIn.close();
  return { broken: witness.look(), stops: witness.stops.length };
}

/** Many times what all goals of an order take together. */
const LONGEST_MS = 20_000;

/** How many orders are driven side by side: most of the time each of them waits. */
const TOGETHER = 20;

/** Drives commands and stops over rosbridge in random orders: nothing begins after an answered stop that arrived before it. */
export async function nothingBeginsBehindRosbridgeStop(orders: number): Promise<void> {
  let played = 0;
  let answered = 0;
  const together = fc.array(Interleaving, { minLength: TOGETHER, maxLength: TOGETHER });
  await fc.assert(
    fc.asyncProperty(together, async (plans) => {
      for (const { broken, stops } of await Promise.all(plans.map(play))) {
        expect(broken).toEqual([]);
        played += 1;
        answered += stops;
      }
    }),
    { numRuns: Math.ceil(orders / TOGETHER), endOnFailure: true },
  );
  expect(played).toBeGreaterThanOrEqual(orders);
  // On a machine that is too busy some stops find the server too slow.
  expect(answered).toBeGreaterThan(played);
}
