import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GuardedService, guardsOf, startGuardedBridge } from '../support/guarded-service.ts';
import { http } from '../support/http.ts';
import { isAlive, until } from '../support/processes.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';

const MAPPING = `ros: 2
stop: { publish: [{ name: /stop, type: std_msgs/msg/Empty }], service: [{ name: /halt, success: $answer.ok }] }
jog: { topic: /cmd_vel, type: geometry_msgs/msg/Twist, watchdog_ms: 300 }
commands: {}
`;
const INSTANCE = 'mK3xV0c9Q2yT5uR8wZ1aBg';

describe('A service and its guard', () => {
  let standIn: RosbridgeStandIn;
  let service: GuardedService;
  const other = createServer();

  beforeAll(async () => {
    standIn = await RosbridgeStandIn.start();
    standIn.services.set('/halt', () => ({ ok: true }));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // as: it listens on TCP
    service = await startGuardedBridge(standIn.url, MAPPING, { SERVICE_STOP_PORT: String(port) });
  }, 120_000);
  afterAll(async () => {
    service.main.child.kill('SIGCONT');
    await service.main.end('SIGTERM');
    await standIn.close();
  }, 60_000);

  const call = async (path: string, body?: object) =>
    http(service.main.url, path, {
      method: body ? 'POST' : 'GET',
      ...(body ? { body } : {}),
      headers: { authorization: `Bearer ${service.token}` },
    });
  const guardReady = async () => JSON.stringify((await http(service.main.url, '/health/ready')).json);

  it('say that another program has the port of the guard, and take it when it is free', async () => {
    const { port } = other.address() as AddressInfo; // as before
    await until('it is told', async () => (await guardReady()).includes('SERVICE_STOP_PORT'));
    expect((await http(service.main.url, '/status')).json.stop).toMatchObject({ port: null });
    expect((await http(service.stopSocket, '/api/v2/stop', { method: 'POST' })).status).toBe(200);
    other.close();
    await until('the guard has it', async () => (await http(service.main.url, '/status')).json.stop.port === port);
    expect(await guardReady()).not.toContain('SERVICE_STOP_PORT');
    service = { ...service, stopUrl: `http://127.0.0.1:${port}` };
  }, 120_000);

  it('tell who stopped the robot while the service was frozen', async () => {
    service.main.child.kill('SIGSTOP');
    const headers = { authorization: `Bearer ${service.token}` };
    const stopping = http(service.stopUrl, '/api/v2/stop', { method: 'POST', headers });
    const { json } = await stopping.finally(() => service.main.child.kill('SIGCONT'));
    expect(json).toMatchObject({ stopped: true, fenced: false });
    await until('it is in the audit trail', async () => {
      const { entries } = (await call('/api/v2/audit/?action=command')).json;
      return entries.some(
        ({ subject, listener, outcome, client_id }: Record<string, unknown>) =>
          JSON.stringify(subject) === '{"command":"stop","at":"guard"}' &&
          listener === 'tcp' &&
          outcome === 'ok' &&
          client_id !== null,
      );
    });
  }, 120_000);

  it('refuse jog and answer stop with fenced false while the guard gives no sign, and end a jog of a frozen service', async () => {
    const lease = (await call('/api/v2/lease/', { instance: INSTANCE, ttl_ms: 60_000 })).json.lease_id;
    let stamp: string | undefined;
    let seq = 0;
    const jog = async (vx: number) => {
      seq += 1;
      const frame = { lease, vx, vy: 0, wz: 0, seq, deadline_ms: 1_000, ...(stamp === undefined ? {} : { stamp }) };
      const { status, json } = await call('/api/v2/jog/', frame);
      stamp = json.stamp;
      return status === 200 ? 'ok' : json.code;
    };
    const moves = async () => (await jog(0)) === 'ok' && (await jog(0.2)) === 'ok';
    await until('it is driven', moves, 60_000);
    await until('a stop is fenced', async () => (await call('/api/v2/stop', {})).json.fenced === true);
    process.kill(service.guard, 'SIGSTOP');
    await until('jog is refused', async () => {
      await jog(0);
      return (await jog(0.2)) === 'component_unavailable';
    });
    expect((await call('/api/v2/stop', {})).json).toMatchObject({ stopped: true, fenced: false });
    if (isAlive(service.guard)) process.kill(service.guard, 'SIGCONT'); // else another one has taken its place
    await until('it is driven again', moves, 60_000);
    const sent = () => standIn.of('publish', '/cmd_vel').map((message) => JSON.stringify(message));
    service.main.child.kill('SIGSTOP');
    const before = sent().length;
    await until('the guard ends the jog', () => sent().slice(before).length > 0);
    expect(sent().at(-1)).not.toContain('0.2');
    service.main.child.kill('SIGCONT');
  }, 120_000);

  it('stay together when the service was the one that was frozen', async () => {
    const guards = guardsOf(service.main);
    service.main.child.kill('SIGSTOP');
    await sleep(12_000); // longer than a guard may be silent
    service.main.child.kill('SIGCONT');
    // What the service thinks of its guard after its sleep is seen within a few of its looks.
    for (let looks = 0; looks < 10; looks++) {
      await sleep(100);
      expect((await call('/api/v2/stop', {})).status).toBe(200);
    }
    expect(guardsOf(service.main)).toEqual(guards);
  });

  it('are together again after the guard has hung', async () => {
    const [hung = 0] = guardsOf(service.main);
    process.kill(hung, 'SIGSTOP');
    await until('it is replaced', () => guardsOf(service.main).some((guard) => guard !== hung));
    await until('a stop is fenced', async () => (await call('/api/v2/stop', {})).json.fenced === true);
    expect(isAlive(hung)).toBe(false);
  });
});
