import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../functions/shared/kit/json.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/processes.ts';
import { scene } from '../../../support/rosbridge-link.ts';
import { closeAfterEach, HERE, mapping, odometry, tell } from '../../../support/rosbridge-navigation.ts';

closeAfterEach();

describe.each([1, 2] as const)('Actions of ROS %d', (ros) => {
  const open = () => scene(mapping(ros));
  async function called(scene: Awaited<ReturnType<typeof open>>, clientId = 'alice'): Promise<string> {
    const answer = (await scene.send('go', HERE, undefined, clientId)) as JsonObject;
    expect(answer).toEqual({ called: true, msg: expect.any(String) });
    return String(answer.msg);
  }

  it('report a goal as a mission: called, started, finished', async () => {
    const each = await open();
    each.standIn.onGoal = () => {};
    const id = await called(each);
    await each.standIn.until(() => each.standIn.goals.length === 1);
    const [goal] = each.standIn.goals;
    expect(goal).toMatchObject({ id, action: '/nav', args: { to: { x: 1, yaw: Math.PI / 2 } } });
    const start = each.send('wait_for_skill_started', id);
    goal?.begin();
    await expect(start).resolves.toEqual({ started: true, msg: 'Mission started' });
    const end = each.send('wait_for_skill', id);
    goal?.end('succeeded');
    const finished = {
      awaited: true,
      start_result: { started: true, msg: 'Mission started' },
      msg: 'Mission finished',
    };
    await expect(end).resolves.toEqual(finished);
    await expect(each.send('wait_for_skill', id)).resolves.toEqual(finished);
    await expect(each.send('wait_for_skill', id)).resolves.toMatchObject({ awaited: false, msg: 'Mission not found' });
  });

  it('may answer when the goal is reached', async () => {
    const { standIn, send } = await open();
    standIn.onGoal = (goal) => goal.end('succeeded', { error: 0.1 });
    await expect(send('arrive', HERE)).resolves.toEqual({ error: 0.1 });
  });

  it.each(['aborted', 'cancelled'] as const)(
    'fail with robot_error for whoever awaits a goal that is %s',
    async (how) => {
      const { standIn, send } = await open();
      standIn.onGoal = (goal) => goal.end(how);
      const error = await refusal(() => send('arrive', HERE));
      expect([error.code, error.message]).toEqual(['robot_error', expect.stringContaining('/nav did not succeed')]);
    },
  );

  it('continue when the caller hangs up', async () => {
    const { standIn, send } = await open();
    const leaving = new AbortController();
    const answer = send('arrive', HERE, leaving.signal);
    await standIn.until(() => standIn.goals.length === 1);
    leaving.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await called({ standIn, send } as Awaited<ReturnType<typeof open>>); // as: no more of it is used
    expect(standIn.of('cancel_action_goal')).toEqual([]);
    expect(standIn.of('publish', '/nav/cancel')).toEqual([]);
  });

  it('are cancelled one by one, or all of one client', async () => {
    const each = await open();
    const [one, two, hers] = [await called(each), await called(each), await called(each, 'bea')];
    await expect(each.send('cancel_and_wait_for_mission', one)).resolves.toEqual({
      cancelled: true,
      msg: 'Mission cancelled',
    });
    await expect(each.send('cancel_client_missions')).resolves.toMatchObject({
      cancelled: true,
      cancelled_missions: 1,
    });
    await expect(each.send('wait_for_skill', two)).resolves.toMatchObject({ awaited: false, msg: 'Mission cancelled' });
    await expect(each.send('cancel_skill', two)).resolves.toEqual({ cancelled: false, msg: 'Mission not found' });
    await expect(each.send('cancel_skill', hers)).resolves.toEqual({ cancelled: true, msg: 'Mission cancelled' });
  });

  it('take a relative goal from the odometry, in its frame', async () => {
    const { standIn, send } = await open();
    const answer = send('go_by', { x: 1, y: 0.5, z: 0, theta: 10 });
    await standIn.until(() => standIn.of('subscribe', '/odom').length === 2);
    standIn.publish('/odom', odometry(0));
    await answer;
    const near = (number: number) => expect.closeTo(number, 9);
    expect(standIn.goals[0]?.args).toEqual({ to: { x: near(1.5), y: near(4), yaw: near(100), frame: 'odom' } });
  });

  it('stop by publishing and cancelling, and confirm at standstill', async () => {
    const each = await open();
    await called(each);
    await called(each, 'bea');
    let speed = 0.4;
    let stopped = false;
    tell(each.standIn, () => speed);
    const stopping = each.stop().then((report) => {
      stopped = true;
      return report;
    });
    await each.standIn.until(() => each.standIn.of('publish', '/cmd_vel').length >= 2);
    for (let beats = 0; beats < 5; beats += 1) await each.send('go_by', HERE);
    expect(stopped).toBe(false);
    speed = 0.001;
    await expect(stopping).resolves.toEqual({ stopped: true, cancelled_missions: 2 });
  });

  it('stop only when slow goals have ended', async () => {
    const each = await open();
    const id = await called(each);
    each.standIn.onCancel = () => {};
    const stopping = each.stop();
    tell(each.standIn, () => 0);
    await each.standIn.until(() => each.standIn.of('publish', '/cmd_vel').length >= 2);
    const waiting = each.send('wait_for_skill', id);
    await expect(Promise.race([stopping, each.send('cancel_skill', 'nobody')])).resolves.toMatchObject({
      cancelled: false,
    });
    each.standIn.goals[0]?.end('cancelled');
    await expect(stopping).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
    await expect(waiting).resolves.toMatchObject({ awaited: false, msg: 'Mission cancelled' });
  });

  it('release waiters of a mission when the link breaks', async () => {
    const each = await open();
    const id = await called(each);
    const waiting = refusal(() => each.send('wait_for_skill', id));
    await until(() => each.link.connected());
    each.standIn.cut();
    await expect(waiting).resolves.toMatchObject({ code: 'robot_unavailable' });
  });
});
