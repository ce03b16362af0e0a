import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../functions/shared/logger.ts';
import { port } from '../../../functions/shared/port.ts';
import { testPorts } from '../../support/world.ts';

describe('Ports', () => {
  it('are closed one after the other, the last made first, though one of them fails, which the log tells', async () => {
    const closed: string[] = [];
    const lines: string[] = [];
    const logger = createLogger('error', { write: (line: string) => void lines.push(line) });
    const ports = testPorts({ logger });
    const first = port(
      'first',
      () => 1,
      () => closed.push('first'),
    );
    const broken = port(
      'broken',
      () => 2,
      () => Promise.reject(new Error('stuck')),
    );
    const last = port(
      'last',
      () => 3,
      () => closed.push('last'),
    );
    for (const each of [first, broken, last]) await ports.get(each);
    await ports.close();
    expect(closed).toEqual(['last', 'first']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ port: 'broken', err: { message: 'stuck' } }]);
  });

  it('that could not be made are tried anew, and need no closing', async () => {
    let attempts = 0;
    const ports = testPorts();
    const late = port('late', () => {
      attempts += 1;
      if (attempts === 1) throw new Error('not yet');
      return 'made';
    });
    await expect(ports.get(late)).rejects.toThrow('not yet');
    await expect(ports.get(late)).resolves.toBe('made');
    await ports.close();
  });
});

describe('The ports of a fleet', () => {
  const link = (closed: string[]) =>
    port(
      'link',
      ({ config }) => config.SERVICE_ROBOT_ID,
      (robotId) => closed.push(robotId),
      { perRobot: true },
    );

  it('are kept for the thousand robots that were addressed last', async () => {
    const closed: string[] = [];
    const which = link(closed);
    const fleet = testPorts();
    const name = (number: number) => `robot-${number}`;
    for (let number = 0; number < 1_000; number += 1) await fleet.forRobot(name(number)).get(which);
    const kept = fleet.forRobot(name(0));
    await fleet.forRobot(name(1_000)).get(which);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toEqual([name(1)]);
    expect(fleet.forRobot(name(0))).toBe(kept);
    await fleet.close();
    expect(new Set(closed).size).toBe(1_001);
  });

  it('stay for a robot whose requests are under way, and are made for nobody who shows no token', async () => {
    const closed: string[] = [];
    const opened: string[] = [];
    const which = port(
      'link',
      ({ config: { SERVICE_ROBOT_ID: id } }) => {
        opened.push(id);
        return id;
      },
      (robotId) => closed.push(robotId),
      { perRobot: true, unasked: () => 'nobody' },
    );
    const fleet = testPorts();
    expect(await fleet.visit('a').get(which)).toBe('nobody');
    const entered = fleet.visit('a').enter();
    expect([await entered.get(which), await fleet.visit('a').get(which), opened]).toEqual(['a', 'a', ['a']]);
    for (let number = 0; number < 1_000; number += 1) await fleet.forRobot(`robot-${number}`).get(which);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toEqual(['robot-0']);
    entered.leave();
    await fleet.forRobot('one-more').get(which);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toEqual(['robot-0', 'a']);
  });

  it('are each robot’s own where they are declared so, and shared where not', async () => {
    const shared = port('shared', () => Symbol('shared'));
    const own = port('own', () => Symbol('own'), undefined, { perRobot: true });
    const fleet = testPorts();
    const [one, other] = [fleet.forRobot('one'), fleet.forRobot('other')];
    expect(await one.get(shared)).toBe(await other.get(shared));
    expect(await one.get(own)).not.toBe(await other.get(own));
  });
});
