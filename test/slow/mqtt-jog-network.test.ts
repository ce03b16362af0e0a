import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { AHEAD, movedSince, STILL, stands, startDriving, startMoving } from '../support/python-driving.ts';
import { broker, closing, describeExample } from '../support/python-example.ts';
import { SlowProxy } from '../support/slow-proxy.ts';

const HELD_MS = 3_000;

/** What holds frames back is the network: the library at the end of it makes no difference, unlike to a lost broker. */
const ANY = ["Debian's paho-mqtt", 'the package robot_rest.robot'] as const;

describeExample(
  'The example robot in Python, driven by hand over a bad network,',
  (python) => {
    it('does not move for frames that a network held back, whoever sent them', async () => {
      const proxy = await SlowProxy.start(broker.port);
      closing.push(() => proxy.close());
      const { robot, stick, link } = await startMoving(python, { port: proxy.port });
      proxy.hold(0);
      await until('frames are refused', () => stick.refused.includes('robot_unavailable'));
      stick.drop();
      await stands(robot);
      const held = proxy.heldBytes(0);
      await link.close(); // the service is gone, and nobody lets go of the stick
      await pause(HELD_MS);
      const released = Date.now();
      proxy.release();
      await pause(1_000);
      expect(held).toBeGreaterThan(0);
      expect(movedSince(robot, released)).toBe(false);
    });

    it('does not move for a jog that a network held back from its beginning', async () => {
      const proxy = await SlowProxy.start(broker.port);
      closing.push(() => proxy.close());
      const { robot, stick, link } = await startDriving(python, { port: proxy.port });
      proxy.hold(0);
      const began = Date.now();
      stick.velocity = AHEAD;
      await until('frames are refused', () => stick.refused.includes('robot_unavailable'));
      stick.drop();
      await link.close();
      await pause(HELD_MS);
      proxy.release();
      await pause(1_000);
      expect(movedSince(robot, began)).toBe(false);
    });

    it('goes on by itself after the network was away in both directions, once the stick was let go', async () => {
      const proxy = await SlowProxy.start(broker.port);
      closing.push(() => proxy.close());
      const { robot, stick } = await startMoving(python, { port: proxy.port });
      for (const direction of ['to-server', 'to-client'] as const) proxy.hold(0, direction);
      await stands(robot);
      stick.velocity = STILL;
      await pause(HELD_MS);
      const released = Date.now();
      proxy.release();
      await pause(500);
      expect(movedSince(robot, released)).toBe(false);
      stick.velocity = AHEAD;
      await until('it moves again', () => robot.moves());
    });
  },
  ANY,
);

describeExample('The example robot in Python, driven by hand,', (python) => {
  describe('when the broker', () => {
    afterEach(async () => {
      broker.goOn();
      await broker.kill();
      await broker.start();
    });

    it.each(['freezes', 'dies'])('%s, stands and does not move for what was sent before', async (how) => {
      const { robot, stick } = await startMoving(python);
      if (how === 'freezes') broker.freeze();
      else await broker.kill();
      await stands(robot);
      await until('frames are refused', () => stick.refused.includes('robot_unavailable'));
      stick.drop();
      await pause(HELD_MS);
      const back = Date.now();
      if (how === 'freezes') broker.goOn();
      else await broker.start();
      await pause(1_500);
      expect(movedSince(robot, back)).toBe(false);
    });
  });
});
