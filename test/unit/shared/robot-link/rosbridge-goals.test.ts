import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../functions/shared/kit/json.ts';
import { until } from '../../../support/processes.ts';
import { scene } from '../../../support/rosbridge-link.ts';
import { closeAfterEach, HERE, mapping, tell } from '../../../support/rosbridge-navigation.ts';

closeAfterEach();

describe('Goals of ROS 2', () => {
  it('are never sent late to a sequential server', async () => {
    const { standIn, send } = await scene(mapping(2));
    standIn.oneAtATime = true;
    await send('go', HERE);
    const leaving = new AbortController();
    const late = send('go', HERE, leaving.signal);
    const patient = [send('go', HERE), send('go', HERE)];
    await standIn.until(() => standIn.goals.length === 1);
    leaving.abort(new Error('too late'));
    await expect(late).rejects.toThrow('too late');
    standIn.goals[0]?.end('succeeded');
    await expect(Promise.race(patient)).resolves.toMatchObject({ called: true });
    await standIn.until(() => standIn.goals.length === 2);
    await send('cancel_skill', 'nobody');
    expect(standIn.arrived.filter(({ op }) => op === 'send_action_goal')).toHaveLength(2);
    standIn.goals[1]?.end('succeeded');
    await expect(Promise.all(patient)).resolves.toHaveLength(2);
  });

  it('are stopped midway on a sequential server', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.oneAtATime = true;
    await send('go', HERE);
    tell(standIn, () => 0);
    await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
    expect(standIn.of('publish', '/cmd_vel').length).toBeGreaterThanOrEqual(2);
  });

  it('do not block a stop when refused silently', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.onGoal = ({ id }) => standIn.forget(id);
    await send('go', HERE);
    tell(standIn, () => 0);
    await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
  });

  it('are cancelled once more when they begin after a stop', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.onGoal = ({ id }) => standIn.forget(id);
    await send('go', HERE);
    tell(standIn, () => 0);
    await stop();
    const before = standIn.of('cancel_action_goal').length;
    standIn.goals[0]?.begin();
    await standIn.until(() => standIn.of('cancel_action_goal').length === before + 1);
  });

  it('do not block a stop when their server is missing', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.services.set('/nav/_action/cancel_goal', () => {
      throw new Error('Service /nav/_action/cancel_goal does not exist');
    });
    await send('go', HERE);
    tell(standIn, () => 0);
    await expect(stop()).resolves.toMatchObject({ stopped: true });
  });

  it('fail the stop when cancelling is refused, after the zeros were sent', async () => {
    const { standIn, stop } = await scene(mapping(2));
    standIn.services.set('/nav/_action/cancel_goal', () => ({ return_code: 1, goals_canceling: [] }));
    await expect(stop()).rejects.toMatchObject({ code: 'robot_error' });
    await standIn.until(() => standIn.of('publish', '/cmd_vel').length >= 2);
  });
});

describe('Goals of ROS 1', () => {
  it('report their end even after a broken link', async () => {
    const { link, standIn, send } = await scene(mapping(1));
    const { msg } = (await send('go', HERE)) as JsonObject; // as: the answer is an object
    standIn.cut();
    await until(() => !link.connected());
    await until(() => link.connected());
    const waiting = send('wait_for_skill', String(msg));
    await standIn.until(() => standIn.of('subscribe', '/nav/result').length === 2);
    standIn.goals[0]?.end('succeeded');
    await expect(waiting).resolves.toMatchObject({ awaited: true });
  });

  it('do not block a stop when the robot has forgotten them', async () => {
    const { standIn, send, stop } = await scene(mapping(1));
    await send('go', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    standIn.forget(String(standIn.goals[0]?.id));
    tell(standIn, () => 0);
    await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
  });
});
