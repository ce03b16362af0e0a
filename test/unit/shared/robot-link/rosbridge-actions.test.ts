import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../functions/shared/json.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/robot-link-contract.ts';
import { closeScenes, scene } from '../../../support/rosbridge-link.ts';
import type { RosbridgeStandIn } from '../../../support/rosbridge-server.ts';

const mapping = (ros: 1 | 2) => {
  const type = ros === 1 ? 'move_base_msgs/MoveBaseAction' : 'nav2_msgs/action/NavigateToPose';
  const msg = ros === 1 ? '' : 'msg/';
  return `
ros: ${ros}
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/${msg}Twist, message: { linear: { x: 0 } }, times: 2, every_ms: 10 }]
  still: { name: /odom, type: nav_msgs/${msg}Odometry, zero: [twist.linear.x], tolerance: 0.01, throttle_ms: 0 }
commands:
  go: { title: Go, kind: coordinates, action: { name: /nav, type: ${type}, goal: { to: { x: $x, yaw: $theta|radians } } } }
  arrive:
    title: Arrive
    kind: coordinates
    action: { name: /nav, type: ${type}, goal: { to: { x: $x } }, answers: finished }
    result: { error: $answer.error }
  go_by:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/${msg}Odometry, pose: pose.pose, throttle_ms: 0 }
    action: { name: /nav, type: ${type}, goal: { to: { x: $x, y: $y, yaw: $theta, frame: $frame } } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
  wait_for_skill_started: { title: Wait, kind: str, mission: wait_for_start }
  cancel_skill: { title: Cancel, kind: str, mission: cancel }
  cancel_and_wait_for_mission: { title: Cancel, kind: str, mission: cancel_and_wait }
  cancel_client_missions: { title: Cancel mine, kind: none, mission: cancel_mine }
`;
};
const HERE = { x: 1, y: 0, z: 0, theta: 90 };
const odometry = (speed: number) => ({
  header: { frame_id: 'odom' },
  pose: { pose: { position: { x: 2, y: 3, z: 0 }, orientation: { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 } } },
  twist: { linear: { x: speed } },
});

/** The robot tells of its odometry all the time; its speed is what the function says. */
function tell(standIn: RosbridgeStandIn, speed: () => number): void {
  telling.push(setInterval(() => standIn.publish('/odom', odometry(speed())), 10));
}

const telling: NodeJS.Timeout[] = [];
afterEach(async () => {
  for (const timer of telling.splice(0)) clearInterval(timer);
  await closeScenes();
});

describe.each([1, 2] as const)('Actions of ROS %d', (ros) => {
  const open = () => scene(mapping(ros));
  async function called(scene: Awaited<ReturnType<typeof open>>, clientId = 'alice'): Promise<string> {
    const answer = (await scene.send('go', HERE, undefined, clientId)) as JsonObject;
    expect(answer).toEqual({ called: true, msg: expect.any(String) });
    return String(answer.msg);
  }

  it('a goal is a mission: called, started, finished', async () => {
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

  it('a command may answer when its goal is reached', async () => {
    const { standIn, send } = await open();
    standIn.onGoal = (goal) => goal.end('succeeded', { error: 0.1 });
    await expect(send('arrive', HERE)).resolves.toEqual({ error: 0.1 });
  });

  it.each(['aborted', 'cancelled'] as const)(
    'a goal that is %s is robot_error for who waits for its end',
    async (how) => {
      const { standIn, send } = await open();
      standIn.onGoal = (goal) => goal.end(how);
      const error = await refusal(() => send('arrive', HERE));
      expect([error.code, error.message]).toEqual(['robot_error', expect.stringContaining('/nav did not succeed')]);
    },
  );

  it('who hangs up leaves the goal to go on', async () => {
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

  it('missions are cancelled one by one, or all of one client', async () => {
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

  it('a relative goal counts from the odometry, in its frame', async () => {
    const { standIn, send } = await open();
    const answer = send('go_by', { x: 1, y: 0.5, z: 0, theta: 10 });
    await standIn.until(() => standIn.of('subscribe', '/odom').length === 2);
    standIn.publish('/odom', odometry(0));
    await answer;
    const near = (number: number) => expect.closeTo(number, 9);
    expect(standIn.goals[0]?.args).toEqual({ to: { x: near(1.5), y: near(4), yaw: near(100), frame: 'odom' } });
  });

  it('stop publishes, cancels every goal, and answers when the robot stands', async () => {
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

  it('stop waits for goals that take their time to end', async () => {
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

  it('a broken link sends away who waits for a mission', async () => {
    const each = await open();
    const id = await called(each);
    const waiting = refusal(() => each.send('wait_for_skill', id));
    await until(() => each.link.connected());
    each.standIn.cut();
    await expect(waiting).resolves.toMatchObject({ code: 'robot_unavailable' });
  });
});

describe('Goals of ROS 2', () => {
  it('a server that does one thing at a time is sent nothing that it would carry out late', async () => {
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

  it('a server that does one thing at a time stops in the middle of a goal all the same', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.oneAtATime = true;
    await send('go', HERE);
    tell(standIn, () => 0);
    await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
    expect(standIn.of('publish', '/cmd_vel').length).toBeGreaterThanOrEqual(2);
  });

  it('a goal that was refused in silence does not keep stop from answering', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.onGoal = ({ id }) => standIn.forget(id);
    await send('go', HERE);
    tell(standIn, () => 0);
    await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
  });

  it('a goal that begins after it was stopped is cancelled once more', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.onGoal = ({ id }) => standIn.forget(id);
    await send('go', HERE);
    tell(standIn, () => 0);
    await stop();
    const before = standIn.of('cancel_action_goal').length;
    standIn.goals[0]?.begin();
    await standIn.until(() => standIn.of('cancel_action_goal').length === before + 1);
  });

  it('an action server that is not there keeps nobody from stopping', async () => {
    const { standIn, send, stop } = await scene(mapping(2));
    standIn.services.set('/nav/_action/cancel_goal', () => {
      throw new Error('Service /nav/_action/cancel_goal does not exist');
    });
    await send('go', HERE);
    tell(standIn, () => 0);
    await expect(stop()).resolves.toMatchObject({ stopped: true });
  });

  it('a robot that refuses to cancel has not stopped, but the zeros went out', async () => {
    const { standIn, stop } = await scene(mapping(2));
    standIn.services.set('/nav/_action/cancel_goal', () => ({ return_code: 1, goals_canceling: [] }));
    await expect(stop()).rejects.toMatchObject({ code: 'robot_error' });
    await standIn.until(() => standIn.of('publish', '/cmd_vel').length >= 2);
  });
});

describe('Goals of ROS 1', () => {
  it('how a goal ended is learnt after a broken link too', async () => {
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

  it('a goal of which the robot knows nothing any more does not keep stop from answering', async () => {
    const { standIn, send, stop } = await scene(mapping(1));
    await send('go', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    standIn.forget(String(standIn.goals[0]?.id));
    tell(standIn, () => 0);
    await expect(stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
  });
});
