import { describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { measured } from '../../../../functions/shared/robot-link/adapters/measured.ts';
import { failed } from '../../../../functions/shared/robot-link/adapters/mqtt/outcome.ts';
import { robotUnavailable } from '../../../../functions/shared/robot-link/adapters/robot-errors.ts';
import type { RobotLink } from '../../../../functions/shared/robot-link/port.ts';
import { refusal } from '../../../support/errors.ts';
import { countingMetrics } from '../../../support/metrics.ts';
import { openSimulatedRobot, scriptedLink } from '../../../support/robot.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const options = () => ({ deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal });

function counted(link: RobotLink) {
  const { metrics, calls } = countingMetrics();
  return { link: measured(link, metrics), calls };
}

describe('A measured link', () => {
  it.each<[outcome: string, stop: RobotLink['stop']]>([
    ['confirmed', () => ({ stopped: true })],
    ['confirmed', async () => ({ stopped: true })],
    ['not_confirmed', () => Promise.reject(failed('robot_error', 'It still moves.', 'maybe'))],
    ['not_confirmed', () => Promise.reject(new ServiceError('robot_timeout', { detail: 'No answer.' }))],
    ['not_confirmed', () => Promise.reject(failed('robot_unavailable', 'Sent, and nothing answered.', 'maybe'))],
    ['not_delivered', () => Promise.reject(failed('robot_unavailable', 'No broker.', 'no'))],
    [
      'not_delivered',
      () => {
        throw robotUnavailable('The link is down.');
      },
    ],
  ])('counts a stop as %s', async (outcome, stop) => {
    const { link, calls } = counted({ ...scriptedLink(() => null), stop });
    await Promise.resolve()
      .then(() => link.stop(options()))
      .catch(() => undefined);
    expect(calls('robotStop')).toEqual([[outcome]]);
  });

  it('counts refused motion from before a stop, but neither queries nor waits', async () => {
    const robot = openSimulatedRobot(Date.now);
    const { link, calls } = counted(robot);
    const arrivedAt = arrivalStamp();
    link.stop(options());
    const go = { command: 'go_to_relative', value: { x: 1, y: 0, z: 0, theta: 0 }, sender: SENDER, arrivedAt };
    expect(await refusal(() => link.send(go, options()))).toMatchObject({ code: 'stopped' });
    link.send({ command: 'get_pose', sender: SENDER }, options());
    const ended = counted(scriptedLink(() => Promise.reject(new ServiceError('stopped', { detail: 'Overtaken.' }))));
    await refusal(() => ended.link.send({ command: 'a_str', sender: SENDER }, options()));
    expect([calls('motionRefusal'), ended.calls('motionRefusal')]).toEqual([[['stopped']], []]);
  });

  it('counts calls while they are under way', async () => {
    let answer: (value: string) => void = () => undefined;
    const { link, calls } = counted(scriptedLink(() => new Promise<string>((resolve) => (answer = resolve))));
    const asked = link.send({ command: 'a_str', sender: SENDER }, options());
    expect(calls('robotCalls')).toEqual([[1]]);
    answer('done');
    expect(await asked).toBe('done');
    expect(calls('robotCalls')).toEqual([[1], [-1]]);
  });
});
