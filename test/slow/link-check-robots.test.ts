import { expect, it } from '@jest/globals';
import { CHECKS } from '../../local-host/cli/link-check/run-checks.ts';
import { describeWith } from '../support/components.ts';
import { freePort } from '../support/free-port.ts';
import { connectThrough, expectSound, linkCheck, passwordFile } from '../support/link-check.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';
import { broker, useBroker } from '../support/python-example.ts';
import { ROBOTS } from '../support/python-robot.ts';

const ALL_BUT_THE_LAST = CHECKS.map(({ name }) => name)
  .filter((name) => !['stop-driven', 'second-program'].includes(name))
  .join();

describeWith('mosquitto', MOSQUITTO, 'The check of a robot over its link', () => {
  useBroker();

  it.each(Object.entries(ROBOTS))('finds nothing wrong with the robot on %s', async (_name, program) => {
    const port = await freePort();
    const checking = expectSound(broker, ['--yes', '--listen', String(port), '--only', ALL_BUT_THE_LAST], []);
    await connectThrough(program, port);
    await checking;
    const again = ['--listen', String(port), '--robot-password-file', passwordFile(broker)];
    const last = [...again, '--only', 'second-program'];
    expect(await linkCheck(broker, ['--yes', ...last])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Sound\.\n$/),
    });
  });
});
