import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { clientOf, closeScenes, openLink } from '../support/rosbridge-link.ts';
import { ROOT } from '../support/sources.ts';

const MAPPING = readFileSync(join(ROOT, 'examples/rosbridge/turtlebot.yaml'), 'utf8');

function suite(): void {
  let bed: Ros1Bed;
  beforeAll(async () => {
    bed = await Ros1Bed.start({ actions: { move_base: 'cpp' } });
  });
  afterAll(async () => {
    await closeScenes();
    await bed?.close();
  });

  it('drives to a goal, and stops on its way to another', async () => {
    const robot = clientOf(await openLink(MAPPING, bed.url));
    await until('the link', () => robot.link.connected());
    expect(await robot.send('go_to_absolute_and_wait', { x: 0.4, y: 0, z: 0, theta: 0 })).toEqual({ arrived: true });
    await bed.untilStanding();
    await robot.send('go_to_absolute', { x: 50, y: 0, z: 0, theta: 0 });
    await bed.untilMoving();
    expect(await robot.stop()).toEqual({ stopped: true, cancelled_missions: 1 });
    expect(await bed.standsFor(500)).toBe(true);
  });
}

describeWithRos1('A robot with ROS 1 and an action server in C++, behind the example mapping', suite, { cpp: true });
