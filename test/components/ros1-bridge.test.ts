import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { until } from '../support/processes.ts';
import { Ros1Bed } from '../support/ros1.ts';
import { describeWithRos1 } from '../support/ros1-components.ts';
import { SlowProxy } from '../support/slow-proxy.ts';

const forward = (speed: number) => ({ op: 'publish', topic: '/cmd_vel', msg: { linear: { x: speed } } });
const ADVERTISE = { op: 'advertise', topic: '/cmd_vel', type: 'geometry_msgs/Twist' };
/** The service that takes long on this base. */
const SLOW_CALL = { op: 'call_service', id: 'slow', service: '/motor_power', args: { data: true } };

const clients: WebSocket[] = [];

/** A connection to the bridge without any of our product in it. */
async function connectTo(url: string) {
  const socket = new WebSocket(url);
  clients.push(socket);
  const received: JsonObject[] = [];
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  await once(socket, 'open');
  return {
    socket,
    received,
    send: (...messages: JsonObject[]) => {
      for (const message of messages) socket.send(JSON.stringify(message));
    },
    first: (op: string) => until(`a ${op}`, () => received.find((message) => message.op === op)),
    async ping() {
      socket.ping();
      await once(socket, 'pong');
    },
  };
}

describeWithRos1('The rosbridge server of the tests', () => {
  let bed: Ros1Bed;
  beforeAll(async () => {
    bed = await Ros1Bed.start({ actions: {}, base: ['--motor-power-delay', '600'] });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.terminate();
    const last = await connectTo(bed.url);
    last.send(ADVERTISE, forward(0));
    await bed.untilStanding();
    last.socket.terminate();
  });
  afterAll(() => bed?.close());

  it('publishes what was advertised just before', async () => {
    const client = await connectTo(bed.url);
    client.send(ADVERTISE, forward(0.4));
    await bed.untilMoving();
    client.send({ op: 'subscribe', topic: '/odom', type: 'nav_msgs/Odometry' });
    expect(await client.first('publish')).toMatchObject({ topic: '/odom', msg: { header: { frame_id: 'odom' } } });
  });

  it('processes other messages during a service call', async () => {
    const client = await connectTo(bed.url);
    client.send(SLOW_CALL, ADVERTISE, forward(0.4));
    await bed.untilMoving();
    expect(client.received).toEqual([]);
    expect(await client.first('service_response')).toMatchObject({ id: 'slow', result: true });
  });

  it('reports that a service does not exist', async () => {
    const client = await connectTo(bed.url);
    client.send({ op: 'call_service', id: '1', service: '/x' });
    const values = 'Service /x does not exist';
    expect(await client.first('service_response')).toEqual({
      op: 'service_response',
      id: '1',
      service: '/x',
      values,
      result: false,
    });
  });

  it('drops and logs messages that do not match their type', async () => {
    const client = await connectTo(bed.url);
    const wrong = { op: 'publish', topic: '/cmd_vel', id: 'wrong', msg: { linear: { x: 'fast' } } };
    const unknown = { op: 'publish', topic: '/cmd_vel', id: 'unknown', msg: { velocity: 1 } };
    client.send(ADVERTISE, wrong, unknown, { op: 'call_service', service: '/halt' });
    await client.first('service_response');
    expect(client.received).toHaveLength(1);
    expect(bed.log('bridge')).toContain('id wrong: publish: Field linear.x requires a float64, but got a str');
    expect(bed.log('bridge')).toContain('does not have a field velocity');
  });

  it('receives messages late through a proxy that delays them', async () => {
    const proxy = await SlowProxy.start(bed.bridgePort);
    try {
      const client = await connectTo(proxy.url);
      client.send(ADVERTISE, { op: 'call_service', service: '/halt' });
      await client.first('service_response');
      proxy.hold(0);
      client.send(forward(0.4));
      await until('the message to be held back', () => proxy.heldBytes(0) > 0);
      expect(await bed.standsFor(200)).toBe(true);
      proxy.release();
      await bed.untilMoving();
    } finally {
      await proxy.close();
    }
  });

  it('answers only pings during a slow call, and drops pending messages when the client disconnects', async () => {
    await bed.restart('bridge', ['--slow-calls', '--status']);
    const client = await connectTo(bed.url);
    client.send({ op: 'publish', topic: '/cmd_vel', id: 'wrong', msg: { velocity: 1 } });
    expect(await client.first('status')).toMatchObject({ level: 'error', id: 'wrong' });
    client.send(ADVERTISE, SLOW_CALL, forward(0.4));
    await client.ping();
    client.socket.terminate();
    expect(await bed.standsFor(1000)).toBe(true);
  });

  it('reaches a base that falsely reports standstill', async () => {
    await bed.restart('base', ['--halt', 'lie']);
    const client = await connectTo(bed.url);
    client.send(ADVERTISE);
    // ROS drops what is published before the new base has connected to the publisher that is already there.
    await until('the base to move', () => {
      client.send(forward(0.4));
      return bed.speed() > 0.1;
    });
    client.send({ op: 'call_service', service: '/halt' });
    expect(await client.first('service_response')).toMatchObject({ values: { success: true } });
    expect(bed.speed()).toBeGreaterThan(0);
  });
});
