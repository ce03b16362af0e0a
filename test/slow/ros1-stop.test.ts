import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ServiceError } from '../../functions/shared/errors.ts';
import { until } from '../support/processes.ts';
import { Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { clientOf, closeScenes, openLink } from '../support/rosbridge-link.ts';
import { ROOT } from '../support/sources.ts';

const MAPPING = readFileSync(join(ROOT, 'examples/rosbridge/turtlebot.yaml'), 'utf8');
const FAR_AHEAD = { x: 50, y: 0, z: 0, theta: 0 };
const TIMES = [1, 2];

/** As clients stop: again where the link was lost, which a bridge that hangs for seconds on a dead node can cause. */
async function confirmedStop(robot: ReturnType<typeof clientOf>) {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await robot.stop({ deadline });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'robot_unavailable' || Date.now() > deadline) throw error;
      await until('the link', () => robot.link.connected());
    }
  }
}

describeWithRos1('A stop of a robot with ROS 1 while its parts are killed', () => {
  let bed: Ros1Bed;
  beforeAll(async () => {
    bed = await Ros1Bed.start();
  });
  afterEach(closeScenes);
  afterAll(() => bed?.close());

  it.each(['bridge', 'move_base'].flatMap((part) => TIMES.map((time) => [part, time] as const)))(
    'is confirmed within its deadline after a restart of %s, time %d',
    async (part) => {
      const robot = clientOf(await openLink(MAPPING, bed.url));
      await until('the link', () => robot.link.connected());
      await robot.send('go_to_absolute', FAR_AHEAD);
      await bed.untilMoving();
      await bed.restart(part);
      await until('the link', () => robot.link.connected());
      for (const _time of ['first', 'second']) {
        expect(await confirmedStop(robot)).toMatchObject({ stopped: true });
        expect(await bed.standsFor(300)).toBe(true);
      }
    },
  );
});
