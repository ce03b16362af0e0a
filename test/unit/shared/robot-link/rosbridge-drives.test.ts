import { describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import type { JsonObject } from '../../../../functions/shared/kit/json.ts';
import { Declined, Replaced } from '../../../../functions/shared/robot-link/port.ts';
import { refusal } from '../../../support/errors.ts';
import { scene, startStandIn } from '../../../support/rosbridge-link.ts';
import { closeAfterEach, HERE, odometry } from '../../../support/rosbridge-navigation.ts';

closeAfterEach();

const mapping = (ros: 1 | 2) => {
  const [msg, action] = ros === 1 ? ['', ''] : ['msg/', 'action/'];
  return `
ros: ${ros}
stop: { service: [{ name: /halt, success: $answer.ok }] }
commands:
  go_to_absolute: { title: Go, kind: coordinates, action: { name: /nav, type: a/${action}Nav, goal: { x: $x } } }
  go_to_relative:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/${msg}Odometry, pose: pose.pose, throttle_ms: 0 }
    action: { name: /nav, type: a/${action}Nav, goal: { x: $x } }
  arrive: { title: Arrive, kind: coordinates, replaces: true, action: { name: /nav, type: a/${action}Nav, answers: finished } }
  roll: { title: Roll, kind: none, replaces: true, publish: { name: /roll, type: a/${msg}Roll, times: 100, every_ms: 20 } }
  turn: { title: Turn, kind: none, replaces: true, service: { name: /turn } }
  skill: { title: Skill, kind: dict, action: { name: /skills, type: a/${action}Skill } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
`;
};

const options = () => ({ deadline: Date.now() + 60_000, signal: new AbortController().signal });
const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const GO = { command: 'go_to_absolute', value: HERE, sender: SENDER };
const idOf = (called: unknown) => (called as JsonObject).msg as string; // as: how goals are called

describe.each([1, 2] as const)('A drive of a robot with ROS %d', (ros) => {
  it('cancels the one under way and is sent once that has ended', async () => {
    const { standIn, send, link } = await scene(mapping(ros));
    const order: string[] = [];
    standIn.onGoal = (goal) => {
      goal.begin();
      order.push('begin');
    };
    standIn.onCancel = (goal) =>
      setTimeout(() => {
        order.push('end');
        goal.end('cancelled');
      }, 200);
    const first = idOf(await send('go_to_absolute', HERE));
    expect(await link.send(GO, options())).toBeInstanceOf(Replaced);
    await standIn.until(() => standIn.goals.length === 2);
    expect(order.slice(0, 3)).toEqual(['begin', 'end', 'begin']);
    expect(await send('wait_for_skill', first)).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
  });

  it('is refused as busy when the one under way does not end within 2 s', async () => {
    const { standIn, send, link } = await scene(mapping(ros));
    standIn.onCancel = () => undefined;
    await send('go_to_absolute', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    expect(await refusal(() => link.send(GO, options()))).toMatchObject({
      code: 'busy',
      members: { command_ran: 'no' },
    });
    expect(standIn.goals).toHaveLength(1);
  });

  it('goes on alone when several replace one at the same time', async () => {
    const { standIn, send } = await scene(mapping(ros));
    await send('go_to_absolute', HERE);
    const called = await Promise.all([1, 2, 3].map(() => send('go_to_absolute', HERE)));
    const ended = called.slice(0, -1).map((each) => send('wait_for_skill', idOf(each)));
    expect(await Promise.all(ended)).toMatchObject([{ awaited: false }, { awaited: false }]);
    await standIn.until(() => standIn.goals.length === 4);
    standIn.goals.at(-1)?.end('succeeded');
    expect(await send('wait_for_skill', idOf(called.at(-1)))).toMatchObject({ awaited: true });
  });

  it('is measured from where the one before ended', async () => {
    const { standIn, send, link } = await scene(mapping(ros));
    await standIn.until(() => standIn.of('subscribe', '/odom').length === 1);
    let x = 2;
    const telling = setInterval(() => {
      const { pose, ...rest } = odometry(0);
      standIn.publish('/odom', { ...rest, pose: { pose: { ...pose.pose, position: { x, y: 0, z: 0 } } } });
    }, 10);
    standIn.onCancel = (goal) => {
      x = 7;
      setTimeout(() => goal.end('cancelled'), 100);
    };
    await send('go_to_absolute', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    const value = { x: 0, y: 0, z: 0, theta: 0 };
    expect(await link.send({ command: 'go_to_relative', value, sender: SENDER }, options())).toBeInstanceOf(Replaced);
    await standIn.until(() => standIn.goals.length === 2);
    clearInterval(telling);
    expect(standIn.goals[1]?.args).toEqual({ x: 7 });
  });

  it('leaves missions and waits alone', async () => {
    const { standIn, send, link } = await scene(mapping(ros));
    await send('skill', {});
    expect(await link.send(GO, options())).not.toBeInstanceOf(Replaced);
    await standIn.until(() => standIn.goals.length === 2);
    expect(standIn.of('cancel_action_goal')).toEqual([]);
    expect(standIn.of('publish', '/skills/cancel')).toEqual([]);
  });

  it('from before a stop ends no drive that began after it', async () => {
    const { standIn, send, stop, link } = await scene(mapping(ros));
    const arrivedAt = arrivalStamp();
    await stop();
    await send('go_to_absolute', HERE);
    await standIn.until(() => standIn.goals.length === 1);
    const before = standIn.of('publish', '/nav/cancel').length;
    expect(await refusal(() => link.send({ ...GO, arrivedAt }, options()))).toMatchObject({ code: 'stopped' });
    expect(standIn.of('publish', '/nav/cancel').length + standIn.of('cancel_action_goal').length).toBe(before);
  });

  it('ends one that is a repeated message, and waits for one that is a call', async () => {
    const { standIn, send, link } = await scene(mapping(ros));
    const rolling = refusal(() => send('roll'));
    await standIn.until(() => standIn.of('publish', '/roll').length === 3);
    standIn.services.set('/turn', () => new Promise((resolve) => setTimeout(() => resolve(null), 300)));
    const turning = link.send({ command: 'turn', sender: SENDER }, options());
    expect(await rolling).toMatchObject({ code: 'busy', members: { command_ran: 'maybe' } });
    const sent = standIn.of('publish', '/roll').length;
    await standIn.until(() => standIn.of('call_service').some(({ service }) => service === '/turn'));
    expect(await link.send(GO, options())).toBeInstanceOf(Replaced);
    expect(await turning).toBeInstanceOf(Replaced);
    expect(standIn.of('publish', '/roll')).toHaveLength(sent);
  });
});

describe.each([1, 2] as const)('A goal of a robot with ROS %d, without an action server', (ros) => {
  it('is not sent, and its answer is no success', async () => {
    const server = await startStandIn();
    server.gone.add('/skills').add('/nav');
    const { standIn, link } = await scene(mapping(ros), server);
    const answer = await link.send({ command: 'skill', value: {}, sender: SENDER }, options());
    expect(answer).toBeInstanceOf(Declined);
    expect(answer).toMatchObject({ result: { called: false, msg: expect.stringContaining('/skills') } });
    const arrive = { command: 'arrive', value: HERE, sender: SENDER };
    expect(await refusal(() => link.send(arrive, options()))).toMatchObject({
      code: 'robot_error',
      members: { command_ran: 'no' },
    });
    const sent = standIn.received.filter(({ op, topic }) => op === 'send_action_goal' || /goal$/.test(String(topic)));
    expect(sent.filter(({ op }) => op !== 'advertise')).toEqual([]);
  });
});
