import { expect } from '@jest/globals';
import fc from 'fast-check';
import { handler as run } from '../../functions/commands/run-command.handler.ts';
import { handler as stop } from '../../functions/commands/stop.handler.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { auditTrail } from '../../functions/shared/observability/ports.ts';
import { give } from '../../functions/shared/port.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { robotLink } from '../../functions/shared/robot-link/ports.ts';
import { invoke } from './invoke.ts';
import { fakeAudit } from './relay.ts';
import { remoteRobot } from './remote-robot.ts';
import { handClock, nameTokens, openSimulatedRobot } from './robot.ts';
import { testConfig, testPorts } from './world.ts';

/** A robot at the end of a link, and when it begins to move. */
interface Body {
  readonly link: RobotLink;
  readonly moving: () => boolean;
}

type Delay = <T>(value: T, label: string) => Promise<T>;
type Begin = (client: string) => void;

/** The simulated robot, on a clock that stands still. */
function simulated(_delay: Delay, begin: Begin): Body {
  const robot = openSimulatedRobot(handClock().now);
  const link: RobotLink = {
    ...robot,
    send(command, options) {
      const answer = robot.send(command, options);
      begin(command.sender.clientId);
      return answer;
    },
  };
  const pose = () => robot.send({ command: 'get_pose', sender: SENDER }, OPTIONS) as { moving: boolean }; // as: get_pose says so
  return { link, moving: () => pose().moving };
}

const SENDER = { clientId: 'watcher', accessLevel: 'USER', keyId: 'key-1' } as const;
const OPTIONS = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
const MESSAGE = { topic: '', responseTopic: undefined, expirySeconds: undefined };

/**
 * A robot behind a broker that brings messages late and stop and commands in any order, and that compares numbers where it
 * owns the fence: what it has not seen to be refused counts as begun when it is published otherwise.
 */
const behindBroker = (ownsFence: boolean) => (delay: Delay, begin: Begin) => {
  let highest = 40;
  let moving = false;
  const answer = (id: string, rest: object) => {
    const payload = Buffer.from(JSON.stringify({ v: 1, id, ...rest }));
    robot.handleAnswer({ ...MESSAGE, payload, correlation: Buffer.from(id) });
  };
  const act = (isStop: boolean, asked: { id: string; fence?: number; sender: { client_id: string } }) => {
    if (isStop) {
      highest = Math.max(highest, asked.fence ?? 0) + 1;
      moving = false;
      return { ok: true, result: { stopped: true }, fence: highest };
    }
    if (ownsFence && (asked.fence ?? -1) < highest) {
      return { ok: false, error: { code: 'stopped', detail: 'Stopped.', ran: 'no' }, fence: highest };
    }
    highest = Math.max(highest, asked.fence ?? 0);
    moving = true;
    if (ownsFence) begin(asked.sender.client_id);
    return { ok: true, result: 'gone' };
  };
  const broker = {
    up: true,
    problem: undefined,
    backlog: 0,
    publish(topic: string, text: string) {
      const asked = JSON.parse(text);
      const isStop = topic.endsWith('/stop');
      if (!ownsFence && !isStop) begin(asked.sender.client_id);
      // Without numbers a robot depends on the order of one connection; with them, on nothing.
      const acted = ownsFence
        ? delay(undefined, topic).then(() => act(isStop, asked))
        : Promise.resolve(act(isStop, asked));
      void acted.then((said) => delay(said, 'answer')).then((said) => answer(asked.id, said));
    },
  };
  const robot = remoteRobot(broker);
  const catalogue = [{ name: 'go_to_relative', kind: 'coordinates', title: 'Go', effect: 'action', motion: true }];
  const features = ownsFence ? { features: ['fence'], fence: highest } : {};
  const presence = { v: 1, online: true, session: 's', catalogue, ...features };
  robot.handlePresence({ ...MESSAGE, payload: Buffer.from(JSON.stringify(presence)), correlation: undefined });
  return { link: robot, moving: () => moving };
};

interface Step {
  readonly kind: 'go' | 'stop';
  readonly client: string;
}

/** The links that are driven, each with a robot at its end. */
export const LINKS: ReadonlyArray<readonly [name: string, open: (delay: Delay, begin: Begin) => Body]> = [
  ['the simulated robot', simulated],
  ['a robot behind a broker that owns its fence', behindBroker(true)],
  ['a robot behind a broker that knows no fence', behindBroker(false)],
];

const CONFIG = testConfig();

/** Drives commands and stops through the endpoints in random orders: nothing begins after an answered stop that arrived before it. */
export async function nothingBeginsBehindStop(
  open: (delay: Delay, begin: Begin) => Body,
  numRuns: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom<Step['kind']>('go', 'go', 'stop'), { minLength: 2, maxLength: 8 }),
      async (scheduler, kinds) => {
        const arrived = new Map<string, number>();
        const begun = new Map<string, number>();
        const answered: Array<{ readonly arrived: number; readonly at: number }> = [];
        let now = 0;
        const tick = () => {
          now += 1;
          return now;
        };
        const delay: Delay = (value, label) => scheduler.schedule(Promise.resolve(value), label);
        const body = open(delay, (client) => begun.set(client, tick()));
        const slowTokens = {
          ...nameTokens,
          verify: async (token: string) => {
            await delay(undefined, `verify ${token}`);
            return nameTokens.verify(token);
          },
        };
        const given = [give(tokens, slowTokens), give(robotLink, body.link), give(auditTrail, fakeAudit())];
        const ports = testPorts({ config: CONFIG, given });
        await ports.resolve(run.spec.uses ?? {});

        const requests = kinds.map(async (kind, index) => {
          const client = `${kind}-${index}`;
          await delay(undefined, `arrival of ${client}`);
          const headers = { authorization: `Bearer ${client}` };
          arrived.set(client, tick());
          if (kind === 'stop') {
            const { status } = await invoke(stop, { ports, method: 'POST', headers });
            if (status === 200) answered.push({ arrived: arrived.get(client) ?? 0, at: tick() });
            return status;
          }
          const params = { command: 'go_to_relative' };
          return (await invoke(run, { ports, method: 'POST', params, headers, body: { value: { x: 5 } } })).status;
        });
        await scheduler.waitFor(Promise.all(requests));
        const statuses = await Promise.all(requests);
        expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
        for (const [client, at] of begun) {
          const late = answered.filter((each) => (arrived.get(client) ?? 0) < each.arrived && each.at < at);
          expect([client, late]).toEqual([client, []]);
        }
        const last = Math.max(0, ...[...begun.values()]);
        if (answered.some(({ arrived: stopArrived }) => stopArrived > last)) expect(body.moving()).toBe(false);
      },
    ),
    { numRuns },
  );
}
