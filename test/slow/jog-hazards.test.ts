import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { type HttpCall, http } from '../support/http.ts';
import { JogClient } from '../support/jog-client.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { SlowProxy } from '../support/slow-proxy.ts';

/** Longer than any stamp and deadline. */
const OUTAGE_MS = 3_000;
/** m/s */
const SPEED = 0.2;
/** It would be 0.6 m in that time; the robot is allowed half a second, and what its brakes need. */
const MAX_METRES = 0.3;

/** Too far away to arrive during a test. */
const FAR = { x: 900, y: 900 };

let service: ServiceProcess;
let token: string;
let client: JogClient | undefined;
beforeAll(async () => {
  service = await startProcess();
  while (service.key === undefined) await once(service.child.stdout ?? service.child, 'data');
  token = (await http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': service.key } })).json.token;
});
afterEach(async () => {
  await client?.kill();
  client = undefined;
  if (service.child.exitCode === null) await take(500);
});
afterAll(() => service.end('SIGKILL'));

const send = (path: string, call: HttpCall = {}) =>
  http(service.url, path, { ...call, headers: { authorization: `Bearer ${token}`, ...call.headers } });
const pose = async (): Promise<{ x: number; y: number; moving: boolean }> =>
  (await send('/api/v2/get/get_pose')).json.result;
const standsStill = () => until('the robot stands still', async () => !(await pose()).moving);

/** Has the lease, whoever had it, and the robot stopped. */
async function take(ttl_ms: number): Promise<string> {
  const body = { instance: randomBytes(16).toString('base64url'), reason: 'a test', ttl_ms };
  return (await send('/api/v2/lease/take', { method: 'POST', body })).json.lease_id;
}

/** Somebody drives under a lease that does not end by itself within the test. */
async function drive(url = service.url): Promise<JogClient> {
  return until('it drives', async () => {
    await client?.kill(); // a machine that stalls ends a drive before it is seen
    client = await JogClient.start(url, token, await leased());
    return (await pose()).moving && client;
  });
}

async function leased(): Promise<string> {
  const first = await take(60_000);
  await send(`/api/v2/lease/${first}`, { method: 'DELETE' });
  const body = { instance: randomBytes(16).toString('base64url'), ttl_ms: 60_000 };
  return (await send('/api/v2/lease/', { method: 'POST', body })).json.lease_id;
}

async function lastEnd(): Promise<string> {
  const { entries } = (await send('/api/v2/audit/?action=jog.end&limit=1')).json;
  return entries[0].subject.why;
}

describe('A robot under a held stick stands still', () => {
  it('when the client is killed', async () => {
    await (await drive()).kill();
    await standsStill();
    // Whichever is seen first: on a busy machine the frames may have failed to come before.
    expect(['disconnected', 'silence']).toContain(await lastEnd());
  });

  it('when the client is killed while 200 others receive its state', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const others = Array.from({ length: 200 }, () => new WebSocket(`${service.url}/api/v2/events`, { headers }));
    await Promise.all(others.map((other) => once(other, 'open')));
    for (const other of others) other.send(JSON.stringify({ type: 'subscribe', topics: ['state'] }));
    await (await drive()).kill();
    await standsStill();
    for (const other of others) other.terminate();
  });

  it('when the client falls silent with its connection open, and goes on when it is back', async () => {
    const silent = await drive();
    silent.freeze();
    await standsStill();
    expect(await lastEnd()).toBe('silence');
    silent.thaw();
    await until('it drives again', async () => (await pose()).moving);
  });

  it('when the service is stopped for a while, though nobody can tell the robot', async () => {
    const held = await drive();
    const asked = performance.now();
    const { x } = await pose();
    service.child.kill('SIGSTOP');
    const most = MAX_METRES + (SPEED * (performance.now() - asked)) / 1000; // it drives on until it is stopped
    await sleep(OUTAGE_MS);
    await held.kill();
    service.child.kill('SIGCONT');
    const after = await pose();
    expect(after.x - x).toBeLessThan(most);
    await standsStill();
    // What lay in the socket in the meantime has moved nothing.
    expect((await pose()).x - x).toBeLessThan(most);
  });

  it('while the network swallows everything, and what it lets go later moves nothing', async () => {
    const proxy = await SlowProxy.start(Number(new URL(service.url).port));
    const held = await drive(`http://127.0.0.1:${proxy.port}`);
    proxy.hold(0, 'to-server');
    proxy.hold(0, 'to-client');
    await sleep(OUTAGE_MS);
    expect(await lastEnd()).toBe('silence');
    const before = await pose();
    expect([before.moving, proxy.heldBytes(0) > 0]).toEqual([false, true]);
    held.freeze(); // what it sends from now on would be new, and would rightly drive
    proxy.release();
    await sleep(1_000);
    expect(await pose()).toEqual(before);
    held.thaw();
    await until('it drives again', async () => (await pose()).moving);
    await proxy.close();
  });

  it('when keep-alives come at the very end of the lease, or just after it', async () => {
    for (let early = 60; early >= -60; early -= 20) {
      await take(500).then((id) => send(`/api/v2/lease/${id}`, { method: 'DELETE' }));
      const body = { instance: randomBytes(16).toString('base64url'), ttl_ms: 500 };
      const { lease_id: id } = (await send('/api/v2/lease/', { method: 'POST', body })).json;
      const keep = () => send(`/api/v2/lease/${id}`, { method: 'PUT' });
      await send('/api/v2/commands/go_to_absolute/', { method: 'POST', body: { value: FAR }, headers: { lease: id } });
      await sleep(500 - early);
      const first = await keep();
      const { moving } = await pose();
      const second = await keep();
      // It drives on while the lease lives, and stands still once it has lapsed, whoever has revived it.
      if (second.json.lease_id === id) expect([early, first.json.lease_id, moving]).toEqual([early, id, true]);
      else await standsStill();
    }
  });

  it('when the service ends as planned', async () => {
    const held = await drive();
    await service.end('SIGTERM');
    await until('the client is told', () => held.said.some((what) => what.startsWith('closed')));
    expect(held.said.at(-1)).toBe('closed 1012');
  });
});
