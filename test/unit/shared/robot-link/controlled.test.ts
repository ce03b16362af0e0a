import { describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import { controlled } from '../../../../functions/shared/robot-link/adapters/controlled.ts';
import { Declined, type Jog, Replaced, type RobotAnswer } from '../../../../functions/shared/robot-link/port.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { JoggedRobot } from '../../../support/jogged-robot.ts';
import { scriptedLink } from '../../../support/robot.ts';

const OPTIONS = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
const JOG: Jog = { watchdogMs: 300, maxLinear: undefined, maxAngular: undefined, send() {}, makeWay: () => undefined };

describe('A drive that is sent while the robot is driven by hand', () => {
  useFakeTimers();

  function answerTo(answer: RobotAnswer): unknown {
    const robot = new JoggedRobot();
    const link = { ...scriptedLink(() => answer, { replaces: true }), jog: () => JOG };
    const { send } = controlled(link, robot.leases, robot.jogs);
    robot.drive();
    const sender = { clientId: 'anna', accessLevel: 'USER', keyId: 'key' } as const;
    return send({ command: 'a_none', sender, lease: robot.lease, arrivedAt: arrivalStamp() }, OPTIONS);
  }

  it('has replaced it', () => {
    expect(answerTo('driving')).toEqual(new Replaced('driving'));
  });

  it('has replaced nothing when the robot declines it', () => {
    const declined = new Declined(null, 'There is no way.');
    expect(answerTo(declined)).toBe(declined);
  });
});
