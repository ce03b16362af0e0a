import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { faultyIn, link, uncheckedIn } from '../support/link-check.ts';
import { exampleMapping, Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { temporaryFolder } from '../support/world.ts';

const MOVE = ['--yes', '--move', 'go_to_absolute={"x":5}'];

describeWithRos1('The check of a robot with ROS 1 and its mapping', () => {
  let bed: Ros1Bed;
  beforeAll(async () => {
    bed = await Ros1Bed.start();
  });
  afterAll(() => bed?.close());

  async function check(mapping: string, options: readonly string[] = []) {
    const path = join(temporaryFolder(), 'mapping.yaml');
    writeFileSync(path, mapping);
    return link(['check', path, ...options], { SERVICE_ROBOT_URL: bed.url });
  }

  it('finds nothing wrong with the example, moved or not', async () => {
    const still = await check(exampleMapping('turtlebot'));
    expect([faultyIn(still.stdout), uncheckedIn(still.stdout), still.code]).toEqual([
      [],
      ['parts', 'stop-busy', 'jog'],
      0,
    ]);
    const moved = await check(exampleMapping('turtlebot'), MOVE);
    expect([faultyIn(moved.stdout), uncheckedIn(moved.stdout), moved.code]).toEqual([[], ['parts', 'jog'], 0]);
  });

  it('finds a base that drives on when the velocities cease, whatever its mapping promises', async () => {
    const promised = exampleMapping('turtlebot').replace('# jog:', 'jog:');
    const { code, stdout } = await check(promised, MOVE);
    expect([faultyIn(stdout), code]).toEqual([['jog'], 1]);
  });

  it('finds a mapping that cannot be used, and names its line', async () => {
    const { code, stdout } = await check(exampleMapping('turtlebot').replace('commands:', 'comands:'));
    expect([faultyIn(stdout), code]).toEqual([['mapping'], 1]);
    expect(stdout).toMatch(/line \d+/);
  });

  it('says that the bridge cannot be reached', async () => {
    const { code } = await link(['check', 'examples/rosbridge/turtlebot.yaml'], {
      SERVICE_ROBOT_URL: 'ws://127.0.0.1:9',
    });
    expect(code).toBe(2);
    expect((await link(['check', 'examples/rosbridge/turtlebot.yaml'])).code).toBe(2);
  });
});
