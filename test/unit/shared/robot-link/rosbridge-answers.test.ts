import { afterEach, describe, expect, it } from '@jest/globals';
import { Goals } from '../../../../functions/shared/adapters/robot-link/rosbridge/goals.ts';
import type { JsonObject, JsonValue } from '../../../../functions/shared/json.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/robot-link-contract.ts';
import { closeScenes, type Scene, scene } from '../../../support/rosbridge-link.ts';

/** The commands, their types written as either generation of ROS does. */
const commands = (msg: '' | 'msg/', action: '' | 'action/') => `
commands:
  go: { title: Go, kind: coordinates, action: { name: /nav, type: a/${action}Nav, goal: { x: $x } } }
  arrive: { title: Arrive, kind: coordinates, action: { name: /nav, type: a/${action}Nav, answers: finished } }
  dock: { title: Dock, kind: none, action: { name: /dock, type: a/${action}Dock } }
  go_by:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/${msg}Odometry, pose: pose.pose, throttle_ms: 0 }
    action: { name: /nav, type: a/${action}Nav, goal: { x: $x, y: $y, yaw: $theta, frame: $frame } }
  raw: { title: Raw, kind: none, service: { name: /raw } }
  check: { title: Check, kind: none, service: { name: /check, success: $answer.ok } }
  explain: { title: Explain, kind: none, service: { name: /check, success: $answer.ok, message: $answer.why } }
  say: { title: Say, kind: str, publish: { name: /say, type: std_msgs/${msg}String, message: { data: $value } } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
  wait_for_skill_started: { title: Wait, kind: str, mission: wait_for_start }
`;
const ROS1 = `ros: 1\nstop: { cancel: [/arm], service: [{ name: /halt, success: $answer.ok }] }${commands('', '')}`;
const ROS2 = `ros: 2\nstop: { cancel: [/nav], service: [{ name: /halt, success: $answer.ok }] }${commands('msg/', 'action/')}`;
const HERE = { x: 1, y: 0, z: 0, theta: 0 };

afterEach(closeScenes);

async function called(each: Scene, command = 'go'): Promise<string> {
  const { msg } = (await each.send(command, command === 'go' ? HERE : undefined)) as JsonObject; // as: the answer of a goal
  await each.standIn.until(() => each.standIn.goals.some(({ id }) => id === msg));
  return String(msg);
}

const say = (each: Scene, message: JsonObject) => each.standIn.sendText(JSON.stringify(message));

describe('A service that fails', () => {
  it('without a word is said to give no reason', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/raw', () => Promise.reject(new Error('')));
    await expect(send('raw')).rejects.toMatchObject({
      message: 'The service /raw failed: the robot does not say why.',
    });
  });

  it('with very many words is told in one line that can be read', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/raw', () => Promise.reject(new Error(`${'very '.repeat(100)}long\nin /opt/robot/arm.py`)));
    const { message } = await refusal(() => send('raw'));
    expect(message).toMatch(/^The service \/raw failed: very .*…$/);
    expect([message.length <= 301, message.includes('/opt')]).toEqual([true, false]);
  });

  it.each([
    ['check', { ok: false }, 'the robot does not say why'],
    ['explain', { ok: false, why: '' }, 'the robot does not say why'],
    ['explain', { ok: false, why: 5 }, 'the robot does not say why'],
    ['explain', { ok: false, why: 'too hot' }, 'too hot'],
  ])('by its own answer to %s, which is %j, is robot_error: %s', async (command, answer, why) => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/check', () => answer);
    await expect(send(command)).rejects.toMatchObject({
      code: 'robot_error',
      message: `The service /check did not succeed: ${why}.`,
    });
  });

  it('not, but answers nothing, answers null', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.services.set('/raw', () => undefined as unknown as JsonValue); // as: the member is left out on the wire
    await expect(send('raw')).resolves.toBeNull();
  });
});

describe('A relative goal', () => {
  const ORIENTATION = { x: 0, y: 0, z: 0, w: 1 };
  const POSITION = { x: 2, y: 3, z: 0 };
  async function tell(message: JsonValue) {
    const each = await scene(ROS2);
    const answer = each.send('go_by', { x: 1, y: 0, z: 0 });
    await each.standIn.until(() => each.standIn.of('subscribe', '/odom').length >= 1);
    each.standIn.publish('/odom', message);
    return { each, answer };
  }

  it.each<[string, JsonValue]>([
    ['no pose', { twist: {} }],
    ['no position', { pose: { pose: { orientation: ORIENTATION } } }],
    ['a position that is none', { pose: { pose: { position: { x: 'far' }, orientation: ORIENTATION } } }],
    ['no heading', { pose: { pose: { position: POSITION, orientation: [0, 0, 0, 1] } } }],
    ['a heading of words', { pose: { pose: { position: POSITION, orientation: { ...ORIENTATION, w: 'north' } } } }],
    ['a rotation that is none', { pose: { pose: { position: POSITION, orientation: { ...ORIENTATION, w: 0 } } } }],
  ])('is robot_error and moves nothing when the robot tells %s', async (_what, message) => {
    const { each, answer } = await tell(message);
    await expect(answer).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('"pose.pose"'),
    });
    expect(each.standIn.goals).toEqual([]);
  });

  it('keeps the heading, and names no frame, where neither is said', async () => {
    const { each, answer } = await tell({ pose: { pose: { position: POSITION, orientation: ORIENTATION } } });
    await answer;
    expect(each.standIn.goals[0]?.args).toEqual({ x: 3, y: 3, yaw: 0, frame: '' });
  });
});

describe.each([
  ['ROS 1', ROS1],
  ['ROS 2', ROS2],
])('A mission of %s', (_ros, mapping) => {
  it('that nobody knows has not started', async () => {
    const { send } = await scene(mapping);
    await expect(send('wait_for_skill_started', 'nobody')).resolves.toEqual({
      started: false,
      msg: 'Mission not found',
    });
  });

  it('that ended before it began says how', async () => {
    const each = await scene(mapping);
    each.standIn.onGoal = (goal) => goal.end('aborted');
    const id = await called(each);
    await each.send('wait_for_skill', id);
    await expect(each.send('wait_for_skill_started', id)).resolves.toMatchObject({ started: false });
  });

  it('that the server refuses by its id has failed, with the words of the server', async () => {
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

  it('of a server that does not say how it ended has succeeded; with a status of its own it has not', async () => {
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

  it('that cannot be sent since its time is over when the server listens again is not sent', async () => {
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
  it('is told apart from what is no status of it', async () => {
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
  ])('that fails with the text %j tells it', async (text, message) => {
    const each = await scene(ROS1);
    const id = await called(each);
    each.standIn.publish('/nav/result', { status: { goal_id: { id }, status: 4, text } });
    await expect(each.send('wait_for_skill', id)).resolves.toMatchObject({ awaited: false, msg: message });
  });
});

describe('Stop', () => {
  it('cancels actions of ROS 1 that no command uses', async () => {
    const { standIn, stop } = await scene(ROS1);
    await expect(stop()).resolves.toMatchObject({ stopped: true });
    expect(standIn.of('advertise', '/arm/cancel')).toHaveLength(1);
    expect(new Set(standIn.of('publish', '/arm/cancel').map(({ msg }) => (msg as JsonObject).id))).toEqual(
      new Set(['']),
    ); // as: messages are objects
    expect(standIn.of('subscribe', '/arm/result')).toEqual([]);
  });

  it('is robot_error when nobody is there who could be told', async () => {
    const still = 'still: { name: /odom, type: nav_msgs/msg/Odometry, zero: [speed] }';
    const { standIn, stop } = await scene(`ros: 2\nstop: { cancel: [/nav], ${still} }${commands('msg/', 'action/')}`);
    for (const name of ['/nav', '/dock']) standIn.gone.add(name);
    await expect(stop()).rejects.toMatchObject({
      code: 'robot_error',
      message: expect.stringContaining('Nobody on the robot could be told to stop'),
    });
  });

  it('gives up the goals of the server that is gone, and waits for those of the other', async () => {
    const each = await scene(ROS2);
    await called(each, 'go');
    await called(each, 'dock');
    each.standIn.gone.add('/nav');
    each.standIn.onCancel = (goal) => goal.action === '/dock' && goal.end('cancelled');
    await expect(each.stop()).resolves.toEqual({ stopped: true, cancelled_missions: 2 });
  });

  it('counts its own goals where a server does not say how many it cancelled', async () => {
    const each = await scene(ROS2);
    const id = await called(each);
    each.standIn.services.set('/nav/_action/cancel_goal', () => null as JsonValue);
    await expect(each.stop()).resolves.toEqual({ stopped: true, cancelled_missions: 1 });
    await expect(each.send('wait_for_skill', id)).resolves.toMatchObject({ msg: 'Mission cancelled' });
  });

  const BRAKE = `ros: 2
stop:
  service: [{ name: /brake, args: { on: true }, success: $answer.ok, message: $answer.why }]
  still: { name: /odom, type: nav_msgs/msg/Odometry, zero: [speed, turn.0], tolerance: 0.01, throttle_ms: 0 }
${commands('msg/', 'action/')}`;

  it('calls services, and has stopped when they have succeeded and the robot stands', async () => {
    const { standIn, stop } = await scene(BRAKE);
    let told = 0;
    standIn.services.set('/brake', () => ({ ok: true }));
    const stopping = stop();
    const telling = setInterval(() => {
      if (standIn.of('call_service').length < 3) return; // before it was told
      told += 1;
      const speeds: JsonValue[] = ['fast', 0.4, -0.4, 0.001];
      standIn.publish('/odom', { speed: speeds[Math.min(told >> 4, 3)] ?? 0, turn: [0] });
    }, 5);
    try {
      await expect(stopping).resolves.toMatchObject({ stopped: true });
      expect(standIn.of('call_service').find(({ service }) => service === '/brake')?.args).toEqual({ on: true });
      expect(told).toBeGreaterThanOrEqual(48);
    } finally {
      clearInterval(telling);
    }
  });

  it('is robot_error when a service says that it did not brake', async () => {
    const { standIn, stop } = await scene(BRAKE);
    standIn.services.set('/brake', () => ({ ok: false, why: 'the brake is worn' }));
    await expect(stop()).rejects.toMatchObject({
      code: 'robot_error',
      message: 'The service /brake did not succeed: the brake is worn.',
    });
  });
});

describe('A rosbridge link', () => {
  it('is not disturbed by bytes, and by topics that are none', async () => {
    const each = await scene(ROS2);
    each.standIn.services.set('/raw', () => 1);
    each.standIn.sendBytes(Buffer.from('{"op":"publish"}'));
    say(each, { op: 'publish', topic: 5, msg: 1 });
    say(each, { op: 'publish', topic: '/odom' });
    await expect(each.send('raw')).resolves.toBe(1);
  });

  it('that is too slow refuses commands instead of delivering them late; goals too', async () => {
    const { standIn, send } = await scene(ROS2);
    standIn.freeze();
    const long = 'x'.repeat(200_000);
    const refused = await refusal(async () => {
      for (;;) await Promise.race([send('say', long), new Promise((resolve) => setImmediate(resolve))]);
    });
    expect(refused).toMatchObject({ code: 'robot_unavailable', message: expect.stringContaining('too slow') });
    expect(await refusal(() => send('go', HERE))).toMatchObject({ code: 'robot_unavailable' });
  });

  it('sends nothing for a caller who has left already', async () => {
    const { standIn, send } = await scene(ROS2);
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(send('raw', undefined, gone)).rejects.toThrow('gone');
    await expect(send('go_by', HERE, gone)).rejects.toThrow('gone');
    expect(standIn.of('call_service')).toEqual([]);
  });
});

describe('Goals', () => {
  it('are a thousand under way at most; each that ends makes room', async () => {
    const goals = new Goals();
    const [first] = Array.from({ length: 1_000 }, () => goals.add('alice', '/nav'));
    const refused = await refusal(() => goals.add('alice', '/nav'));
    expect(refused).toMatchObject({ code: 'robot_unavailable', message: expect.stringContaining('Too many goals') });
    if (first) goals.end(first, { how: 'succeeded', result: null, message: 'Finished' });
    const next = goals.add('alice', '/nav');
    expect(goals.underWay()).toContain(next);
  });

  it('that are over keep the words of the robot short, and a result only for who waits for it', async () => {
    const goals = new Goals();
    const ending = { how: 'failed', result: { map: 'x'.repeat(10_000) }, message: 'y'.repeat(10_000) } as const;
    const [left, awaited] = [goals.add('alice', '/nav'), goals.add('alice', '/nav')];
    const waiting = awaited.over.wait(new AbortController().signal);
    for (const goal of [left, awaited]) goals.end(goal, ending);
    await waiting;
    expect(left.ending).toEqual({ how: 'failed', result: null, message: 'y'.repeat(300) });
    expect(awaited.ending).toEqual({ ...ending, message: 'y'.repeat(300) });
  });

  it('that are over are remembered up to a thousand, the newest', () => {
    const goals = new Goals();
    const ended = Array.from({ length: 1_001 }, () => {
      const goal = goals.add('alice', '/nav');
      goals.end(goal, { how: 'succeeded', result: null, message: 'Finished' });
      return goal.id;
    });
    expect(ended.map((id) => goals.known(id) !== undefined)).toEqual(ended.map((_, index) => index > 0));
  });
});
