import { describe, expect, it } from '@jest/globals';
import { port } from '../../../functions/shared/port.ts';
import { countedRefusals } from '../../support/refusals.ts';
import { loggerInto, testPorts } from '../../support/world.ts';

describe('Ports', () => {
  it('are closed in reverse order even when one fails, which is logged', async () => {
    const closed: string[] = [];
    const lines: string[] = [];
    const logger = loggerInto(lines, 'error');
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

  it('that could not be opened are retried and need no closing', async () => {
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

  it('are kept for the thousand most recently used robots', async () => {
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

  it('stay open during requests, and are never opened without a token', async () => {
    const closed: string[] = [];
    const opened: string[] = [];
    const which = port(
      'link',
      ({ config: { SERVICE_ROBOT_ID: id } }) => {
        opened.push(id);
        return id;
      },
      (robotId) => closed.push(robotId),
      { perRobot: true, withoutToken: () => 'nobody' },
    );
    const { refusals: refused, counts } = countedRefusals();
    const fleet = testPorts({ refused });
    expect(await fleet.forRobot('a', false).get(which)).toBe('nobody');
    const { ports, release } = fleet.forRobot('a', false).admit();
    expect([await ports.get(which), await fleet.forRobot('a', false).get(which), opened]).toEqual(['a', 'a', ['a']]);
    for (let number = 0; number < 1_000; number += 1) await fleet.forRobot(`robot-${number}`).get(which);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toEqual(['robot-0']);
    release();
    await fleet.forRobot('one-more').get(which);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toEqual(['robot-0', 'a']);
    expect(counts).toEqual({ visitors: 1, robots: 2 });
  });

  it('are opened per robot where declared so, and shared otherwise', async () => {
    const shared = port('shared', () => Symbol('shared'));
    const own = port('own', () => Symbol('own'), undefined, { perRobot: true });
    const fleet = testPorts();
    const [one, other] = [fleet.forRobot('one'), fleet.forRobot('other')];
    expect(await one.get(shared)).toBe(await other.get(shared));
    expect(await one.get(own)).not.toBe(await other.get(own));
  });
});
