import { expect, it } from '@jest/globals';
import { leases } from '../../../functions/shared/control/ports.ts';
import { give } from '../../../functions/shared/port.ts';
import { robotLink } from '../../../functions/shared/robot-link/ports.ts';
import { runs } from '../../../functions/shared/runs/ports.ts';
import { stillnessOf } from '../../../local-host/stillness.ts';
import { testHub } from '../../support/event-hub.ts';
import { testPorts } from '../../support/world.ts';

/** A robot that stands, free for everybody, with what a test says. */
function robot({ lease = 'free', underWay = 0, moving = false }) {
  const { hub } = testHub();
  // as: what is asked of each of them, and no more
  const given = [
    give(leases, { status: () => ({ state: lease }) } as never),
    give(runs, { underWay: () => Array(underWay).fill({}) } as never),
    give(robotLink, { state: () => ({ moving }) } as never),
  ];
  return { hub, assertStill: stillnessOf(hub, () => testPorts({ given })) };
}

it('lets pass what needs a robot that stands', async () => {
  await expect(robot({}).assertStill()).resolves.toBeUndefined();
  await expect(robot({ lease: 'stale' }).assertStill()).resolves.toBeUndefined();
});

it.each([
  ['somebody holds the lease', { lease: 'fresh' }, /lease/],
  ['a skill is running', { underWay: 1 }, /skill is running/],
  ['the robot says that it moves, whoever drives it', { moving: true }, /robot is moving/],
])('refuses with busy while %s', async (_case, state, why) => {
  await expect(robot(state).assertStill()).rejects.toMatchObject({ code: 'busy', message: expect.stringMatching(why) });
});

it('refuses with busy from the start of a mission to its end', async () => {
  const { hub, assertStill } = robot({});
  const mission = (verb: 'started' | 'progressed' | 'finished') =>
    hub.publish('missions', verb, { id: 'm1', command: 'go_to' } as never); // as: what is looked at
  mission('started');
  mission('progressed');
  await expect(assertStill()).rejects.toMatchObject({ code: 'busy', message: expect.stringMatching(/mission/) });
  mission('finished');
  await expect(assertStill()).resolves.toBeUndefined();
});
