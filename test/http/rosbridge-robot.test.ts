import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEvents } from '../support/event-client.ts';
import { until } from '../support/processes.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';

let robot: RosbridgeStandIn;
let service: TestService;
let telling: NodeJS.Timeout;
beforeAll(async () => {
  robot = await RosbridgeStandIn.start();
  telling = setInterval(() => robot.publish('/odom', ODOMETRY), 20);
  const settings = {
    SERVICE_MODE: 'robot',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_ROBOT_URL: robot.url,
    SERVICE_ROBOT_MAPPING_PATH: join(ROOT, 'examples', 'rosbridge', 'nav2.yaml'),
  };
  service = await startTestService({ settings });
});
afterAll(async () => {
  clearInterval(telling);
  await service.stop();
  await robot.close();
});

const ODOMETRY = {
  header: { frame_id: 'odom' },
  pose: { pose: { position: { x: 1, y: 2, z: 0 }, orientation: { x: 0, y: 0, z: 1, w: 0 } } },
  twist: { twist: { linear: { x: 0, y: 0 }, angular: { z: 0 } } },
};
const post = (path: string, body?: unknown) => service.as('USER', path, { method: 'POST', body });

describe('The service for a robot with Nav2 and the example mapping', () => {
  it('reports the kind of robot link', async () => {
    expect((await service.as(undefined, '/status')).json).toMatchObject({
      robot: 'connected',
      robot_link: 'rosbridge',
    });
  });

  it('sends a relative move as a NavigateToPose goal in the odometry frame, which can be waited for', async () => {
    const { json } = await post('/api/v2/commands/go_to_relative/', { value: { x: 0.5, theta: 90 } });
    expect(json.result).toEqual({ called: true, msg: expect.any(String) });
    const [goal] = robot.goals;
    expect(goal?.args).toMatchObject({
      pose: {
        header: { frame_id: 'odom' },
        pose: { position: { x: expect.closeTo(0.5, 9), y: expect.closeTo(2, 9), z: 0 } },
      },
    });
    expect(goal?.action).toBe('/navigate_to_pose');
    goal?.end('succeeded');
    const waited = await post('/api/v1/str/', { command: 'wait_for_skill', value: goal?.id });
    expect(waited.json.result).toMatchObject({ awaited: true, msg: 'Mission finished' });
  });

  it('returns the pose in metres and degrees', async () => {
    const { json } = await service.as('USER', '/api/v2/get/get_pose');
    expect(json.result).toEqual({ x: 1, y: 2, z: 0, theta: expect.closeTo(180, 9) });
  });

  it('tells subscribers of its state, its joints, and missions that start and fail', async () => {
    const client = openEvents(service.url, { token: await service.token('USER') });
    await once(client.socket, 'open');
    client.send({ type: 'subscribe', topics: ['state', 'joints', 'missions'] });
    await client.next('the state', ({ type, topic, data }) => type === 'snapshot' && topic === 'state' && data.pose);
    robot.publish('/joint_states', { name: ['wheel'], position: [1.5] });
    const joints = await client.next('the joints', ({ event }) => event?.type === 'robot.joints.changed');
    expect(joints.event.data).toEqual({ names: ['wheel'], positions: [1.5] });
    const { json } = await post('/api/v2/commands/go_to_absolute/', { value: { x: 3 } });
    await client.next('the start', ({ event }) => event?.type === 'robot.missions.started');
    robot.goals.at(-1)?.end('aborted');
    const failed = await client.next('the end', ({ event }) => event?.type === 'robot.missions.failed');
    expect(failed.event).toMatchObject({
      subject: json.result.msg,
      data: { skills: ['go_to_absolute'], message: 'the robot aborted it' },
    });
    client.socket.terminate();
  });

  it('enforces the bounds of the mapping', async () => {
    const { status } = await post('/api/v1/float/', { command: 'set_robot_max_velocity', value: 0 });
    expect([status, robot.of('publish', '/speed_limit')]).toEqual([422, []]);
  });

  it('cancels the goal and publishes zeros on stop', async () => {
    await post('/api/v1/coordinates/', { command: 'go_to_absolute', value: { x: 3 } });
    const { status, json } = await post('/api/v1/stop');
    expect([status, json]).toEqual([200, { stopped: true, cancelled_missions: 1 }]);
    // As often as the mapping says, and on until the stop is over.
    expect(robot.of('publish', '/cmd_vel').length).toBeGreaterThanOrEqual(5);
  });

  it('answers 503 immediately when the robot is gone, and reconnects', async () => {
    const { port } = robot;
    await robot.close();
    const { status, json } = await post('/api/v2/stop');
    expect([status, json.code]).toEqual([503, 'robot_unavailable']);
    robot = await RosbridgeStandIn.start(port);
    await until(async () => (await service.as(undefined, '/status')).json.robot === 'connected');
    expect((await post('/api/v2/stop')).status).toBe(200);
  });
});
