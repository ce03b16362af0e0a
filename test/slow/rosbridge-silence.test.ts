import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { until } from '../support/processes.ts';
import { closeScenes, type Scene, scene } from '../support/rosbridge-link.ts';

const mapping = (ros: 1 | 2) => `
ros: ${ros}
stop: { service: [{ name: /halt, success: $answer.ok }] }
commands:
  go: { title: Go, kind: coordinates, action: { name: /nav, type: ${ros === 1 ? 'a/GoAction' : 'a/action/Go'}, goal: { x: $x } } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
  cancel_skill: { title: Cancel, kind: str, mission: cancel }
  cancel_client_missions: { title: Cancel mine, kind: none, mission: cancel_mine }
`;
const HERE = { x: 1, y: 0, z: 0, theta: 0 };

const PROBE = '/robot_rest/is_anybody_listening';

afterEach(closeScenes);

async function called({ send, standIn }: Scene): Promise<string> {
  const { msg } = (await send('go', HERE)) as JsonObject; // as: the answer of a goal
  await standIn.until(() => standIn.goals.some(({ id }) => id === msg));
  return String(msg);
}
const goalOf = ({ standIn }: Scene, id: string) => standIn.goals.find((goal) => goal.id === id);
const cancelsById = ({ standIn }: Scene) =>
  standIn.of('publish', '/nav/cancel').filter(({ msg }) => (msg as JsonObject).id !== ''); // as: messages are objects

describe.each([1, 2] as const)('An action server of ROS %d', (ros) => {
  it('ends waits within seconds when it is gone, and does not prevent the confirmation of a stop', async () => {
    const each = await scene(mapping(ros));
    const id = await called(each);
    const waiting = each.send('wait_for_skill', id);
    each.standIn.gone.add('/nav');
    await expect(waiting).resolves.toMatchObject({
      awaited: false,
      msg: 'The action server of /nav no longer reports this mission',
    });
    await expect(each.stop()).resolves.toMatchObject({ stopped: true });
  });

  it('keeps waits open while it is alive, however long its mission takes', async () => {
    const each = await scene(mapping(ros));
    const id = await called(each);
    const waiting = each.send('wait_for_skill', id);
    const began = Date.now();
    await until(() => Date.now() > began + 6_500);
    goalOf(each, id)?.end('succeeded');
    await expect(waiting).resolves.toMatchObject({ awaited: true });
    expect(each.standIn.goals).toHaveLength(1);
  });

  it('has to report a cancel itself before it is confirmed', async () => {
    const each = await scene(mapping(ros));
    each.standIn.onCancel = () => {};
    const id = await called(each);
    let isTold = false;
    const cancelling = each.send('cancel_skill', id).finally(() => {
      isTold = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isTold).toBe(false);
    goalOf(each, id)?.end('cancelled');
    await expect(cancelling).resolves.toEqual({ cancelled: true, msg: 'Mission cancelled' });
  });

  it('has not cancelled a mission that it ended in another way', async () => {
    const each = await scene(mapping(ros));
    each.standIn.onCancel = (goal) => goal.end('succeeded');
    const id = await called(each);
    await expect(each.send('cancel_skill', id)).resolves.toEqual({
      cancelled: false,
      msg: 'Mission finished before it could be cancelled',
    });
    await called(each);
    await expect(each.send('cancel_client_missions')).resolves.toEqual({
      cancelled: false,
      cancelled_missions: 0,
      msg: "0 of this client's missions cancelled; 1 ended in another way",
    });
  });

  it('lets a cancel time out that it ignores', async () => {
    const each = await scene(mapping(ros));
    each.standIn.onCancel = () => {};
    const id = await called(each);
    const late = new Error('too late');
    for (const name of ['cancel_skill', 'cancel_client_missions']) {
      const caller = new AbortController();
      const answer = each.send(name, name === 'cancel_skill' ? id : undefined, caller.signal);
      setTimeout(() => caller.abort(late), 200);
      await expect(answer).rejects.toBe(late);
    }
  });
});

describe('An action server of ROS 2', () => {
  it('ends waits when it hangs and then dies, and does not prevent a stop from being sent', async () => {
    const each = await scene(mapping(2));
    each.standIn.oneAtATime = true;
    const id = await called(each);
    const waiting = each.send('wait_for_skill', id);
    each.standIn.services.set('/nav/_action/cancel_goal', () => new Promise<never>(() => {}));
    await each.standIn.until(() => each.standIn.of('call_service').some(({ service }) => service !== PROBE));
    await expect(each.stop({ deadline: Date.now() + 1_000 })).rejects.toMatchObject({ code: 'robot_timeout' });
    expect(each.standIn.of('call_service').map(({ service }) => service)).toContain('/halt');
    each.standIn.gone.add('/nav');
    await expect(waiting).resolves.toMatchObject({ awaited: false });
  });
});

describe('An action server of ROS 1', () => {
  it('does not prevent the confirmation of the next two stops after a restart', async () => {
    const each = await scene(mapping(1));
    const id = await called(each);
    each.standIn.forget(id);
    await expect(each.stop()).resolves.toMatchObject({ stopped: true });
    expect(cancelsById(each)).toEqual([]);
    await expect(each.send('wait_for_skill', id)).resolves.toMatchObject({ msg: 'Mission cancelled' });
    const report = await each.stop({ deadline: Date.now() + 1_500 });
    expect(report).toEqual({ stopped: true, cancelled_missions: 0 });
  });

  it('is asked once to cancel a phantom mission, which a stop then gives up', async () => {
    const each = await scene(mapping(1));
    const id = await called(each);
    each.standIn.forget(id);
    const cancelling = each.send('cancel_skill', id);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Before the phantom would be gone by itself.
    await expect(each.stop({ deadline: Date.now() + 4_000 })).resolves.toMatchObject({ stopped: true });
    await expect(cancelling).resolves.toMatchObject({ cancelled: false });
    expect(cancelsById(each)).toHaveLength(1);
  });

  it('reports the outcome of a mission by status if the result was lost', async () => {
    const each = await scene(mapping(1));
    const id = await called(each);
    const waiting = each.send('wait_for_skill', id);
    each.standIn.losesResults = true;
    goalOf(each, id)?.end('aborted');
    await expect(waiting).resolves.toMatchObject({ awaited: false, msg: 'the robot does not say why' });
  });

  it('has not stopped while it works on a goal of another client', async () => {
    const each = await scene(mapping(1));
    each.standIn.onCancel = () => {};
    each.standIn.acceptForeignGoal('/nav', 'theirs');
    const deadline = Date.now() + 1_500;
    await expect(each.stop({ deadline })).rejects.toMatchObject({
      code: 'robot_timeout',
      message: expect.stringContaining('a goal of /nav'),
    });
    each.standIn.forget('theirs');
    await expect(each.stop()).resolves.toMatchObject({ stopped: true });
  });
});
