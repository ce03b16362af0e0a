import { afterEach, describe, expect, it } from '@jest/globals';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/processes.ts';
import { closeScenes, scene } from '../../../support/rosbridge-link.ts';
import { called, HERE, ROS1, ROS2, say } from '../../../support/rosbridge-mappings.ts';

afterEach(closeScenes);

describe.each([
  ['ROS 1', ROS1],
  ['ROS 2', ROS2],
])('A mission of %s', (_ros, mapping) => {
  it('that is unknown has not started', async () => {
    const { send } = await scene(mapping);
    await expect(send('wait_for_skill_started', 'nobody')).resolves.toEqual({
      started: false,
      msg: 'Mission not found',
    });
  });

  it('that ended before it began reports how', async () => {
    const each = await scene(mapping);
    each.standIn.onGoal = (goal) => goal.end('aborted');
    const id = await called(each);
    await each.send('wait_for_skill', id);
    await expect(each.send('wait_for_skill_started', id)).resolves.toMatchObject({ started: false });
  });

  it("refused by its id has failed, with the server's message", async () => {
    const each = await scene(mapping);
    const id = await called(each);
    const waiting = each.send('wait_for_skill', id);
    say(each, { op: 'status', level: 'warning', id, msg: 'slow' });
    say(each, { op: 'status', level: 'error', id, msg: 'no such action' });
    await expect(waiting).resolves.toMatchObject({ awaited: false, msg: 'The robot refuses: no such action.' });
  });
});

describe('A goal of ROS 2', () => {
  it.each([
    ['with a reason', 'No path to the goal', /No path to the goal/],
    ['without one', '', /does not say why/],
    ['with what is none', { code: 1 }, /does not say why/],
  ])('that is refused %s is robot_error', async (_how, values, message) => {
    const each = await scene(ROS2);
    const arriving = refusal(() => each.send('arrive', HERE));
    await each.standIn.until(() => each.standIn.goals.length === 1);
    const id = String(each.standIn.goals[0]?.id);
    say(each, { op: 'action_result', action: '/nav', id, values, result: false });
    expect(await arriving).toMatchObject({ code: 'robot_error', message: expect.stringMatching(message) });
  });

  it('has succeeded without a status, and failed with an unknown one', async () => {
    const each = await scene(ROS2);
    const [first, second] = [await called(each), await called(each)];
    say(each, { op: 'action_result', action: '/nav', id: first, values: {}, result: true });
    await expect(each.send('wait_for_skill', first)).resolves.toMatchObject({ awaited: true });
    say(each, { op: 'action_result', action: '/nav', id: second, values: {}, status: 99, result: true });
    await expect(each.send('wait_for_skill', second)).resolves.toMatchObject({
      awaited: false,
      msg: 'the robot ended it with status 99',
    });
  });

  it('is not sent when its deadline has passed before the server listens again', async () => {
    const { link, standIn, send } = await scene(ROS2);
    standIn.oneAtATime = true;
    await send('go', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
    const deadline = Date.now() + 50;
    const options = { deadline, signal: new AbortController().signal };
    const late = refusal(async () => link.send({ command: 'go', value: HERE, sender }, options));
    await until(() => Date.now() > deadline);
    standIn.goals[0]?.end('succeeded');
    expect((await late).code).toBe('robot_timeout');
    expect(standIn.goals).toHaveLength(1);
  });
});

describe('A goal of ROS 1', () => {
  it('ignores everything that is not a status of its own', async () => {
    const each = await scene(ROS1);
    each.standIn.onGoal = () => undefined;
    const id = await called(each);
    const started = each.send('wait_for_skill_started', id);
    await each.standIn.until(() => each.standIn.of('subscribe', '/nav/status').length === 1);
    for (const status_list of [null, 'text', [5, null, { status: 1 }, { goal_id: 'text', status: 'ACTIVE' }]]) {
      each.standIn.publish('/nav/status', { status_list });
    }
    each.standIn.publish('/nav/result', { status: { goal_id: { id }, status: 1 } });
    each.standIn.publish('/nav/result', { status: { goal_id: { id }, status: 'over' } });
    each.standIn.publish('/nav/result', 'text');
    each.standIn.publish('/nav/status', { status_list: [{ goal_id: { id }, status: 0 }] });
    each.standIn.publish('/nav/status', { status_list: [{ goal_id: { id }, status: 3 }] });
    each.standIn.publish('/nav/status', { status_list: [{ goal_id: { id }, status: 1 }] });
    await expect(started).resolves.toMatchObject({ started: true });
    const over = each.send('wait_for_skill', id);
    each.standIn.publish('/nav/result', { status: { goal_id: { id }, status: 3 } });
    await expect(over).resolves.toMatchObject({ awaited: true });
  });

  it.each([
    ['the path is blocked', 'the path is blocked'],
    ['', 'the robot does not say why'],
  ])('that fails with the text %j reports it', async (text, message) => {
    const each = await scene(ROS1);
    const id = await called(each);
    each.standIn.publish('/nav/result', { status: { goal_id: { id }, status: 4, text } });
    await expect(each.send('wait_for_skill', id)).resolves.toMatchObject({ awaited: false, msg: message });
  });
});
