import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventClient, openEvents } from '../support/event-client.ts';
import type { HttpAnswer } from '../support/http.ts';
import { ownClient } from '../support/own-client.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService, testKeyId } from '../support/service.ts';
import { loggerInto } from '../support/world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(async () => {
  await service.as('ADMIN', '/api/v2/stop', { method: 'POST' });
});
afterAll(() => service.stop());

const FORWARD = { vx: 0.2, vy: 0, wz: 0 };
const ZERO = { vx: 0, vy: 0, wz: 0 };

/** A client with a token of its own that drives. */
async function driver() {
  const { token, instance, send } = await ownClient(service, 'USER', testKeyId('USER'));
  const acquired = await send('/api/v2/lease/', { method: 'POST', body: { instance, ttl_ms: 2_000 } });
  const lease: string = acquired.json.lease_id;
  let seq = 0;
  let stamp: string | undefined;
  const next = (velocity: object) => {
    seq += 1;
    return { lease, ...velocity, seq, ...(stamp === undefined ? {} : { stamp }) };
  };
  return {
    token,
    lease,
    send,
    async post(velocity: object): Promise<HttpAnswer> {
      const answer = await send('/api/v2/jog/', { method: 'POST', body: next(velocity) });
      stamp = answer.json?.stamp ?? stamp;
      return answer;
    },
    async over(socket: EventClient, velocity: object) {
      const frame = next(velocity);
      socket.send({ type: 'jog', ...frame });
      const ack = await socket.next(
        `jog_ack ${frame.seq}`,
        (message) => message.type === 'jog_ack' && message.seq === frame.seq,
      );
      stamp = ack.stamp;
      return ack;
    },
    release: () => send(`/api/v2/lease/${lease}`, { method: 'DELETE' }),
  };
}

async function connected(token: string): Promise<EventClient> {
  const socket = openEvents(service.url, { token });
  await socket.next('authenticated', ({ type }) => type === 'authenticated');
  return socket;
}

async function isMoving(): Promise<boolean> {
  return (await service.as('USER', '/api/v2/get/get_pose')).json.result.moving;
}

const standsStill = () => until('the robot stands still', async () => !(await isMoving()));

async function audited(): Promise<Array<[string, unknown]>> {
  const { json } = await service.as('ENCHANTER', '/api/v2/audit/?limit=20');
  return json.entries
    .filter(({ action }: { action: string }) => action.startsWith('jog.'))
    .map(({ action, subject }: { action: string; subject: { why?: string } }) => [action, subject.why]);
}

describe('Jog over HTTP', () => {
  it('drives while frames come, and not for longer than the deadline', async () => {
    const anna = await driver();
    const first = await anna.post(ZERO);
    expect([first.status, first.json]).toEqual([200, { seq: 1, stamp: expect.any(String) }]);
    const before = (await anna.send('/api/v2/get/get_pose')).json.result.x;
    for (let n = 0; n < 6; n += 1) {
      expect((await anna.post(FORWARD)).json).not.toHaveProperty('code');
      await sleep(50);
    }
    expect((await anna.send('/api/v2/get/get_pose')).json.result.x).toBeGreaterThan(before);
    await standsStill();
    expect((await audited())[0]).toEqual(['jog.end', 'silence']);
    await anna.release();
  });

  it('refuses with a problem that has the number of the frame and a stamp', async () => {
    const anna = await driver();
    const refused = await anna.post(FORWARD);
    expect([refused.status, refused.json]).toEqual([
      412,
      expect.objectContaining({ code: 'precondition_failed', seq: 1, stamp: expect.any(String), command_ran: 'no' }),
    ]);
    const faulty = await anna.post({ vx: 1 });
    expect([faulty.status, faulty.json]).toEqual([
      422,
      expect.objectContaining({ code: 'validation_failed', seq: 2, stamp: expect.any(String) }),
    ]);
    expect(faulty.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/vy', '/wz']);
    await anna.release();
    const late = await anna.post(ZERO);
    expect([late.status, late.json.code, late.json.seq]).toEqual([410, 'lease_lost', 3]);
    const none = await anna.send('/api/v2/jog/', { method: 'POST', body: { ...FORWARD, seq: 9 } });
    expect([none.status, none.json.code]).toEqual([409, 'lease_required']);
    expect((await anna.send('/api/v2/jog/', { method: 'POST', body: '[1' })).status).toBe(415);
  });

  it('cancels the drive under way, and gives way to one', async () => {
    const anna = await driver();
    const headers = { lease: anna.lease };
    const go = () =>
      anna.send('/api/v2/commands/go_to_relative/', { method: 'POST', headers, body: { value: { x: 5 } } });
    await anna.post(ZERO);
    const { msg } = (await go()).json.result;
    expect((await anna.post(FORWARD)).status).toBe(200);
    const wait = await anna.send('/api/v2/commands/wait_for_skill/', { method: 'POST', body: { value: msg } });
    expect(wait.json.result ?? wait.json).toMatchObject({ awaited: false });
    expect((await go()).json).toMatchObject({ ok: true, replaced: true });
    expect((await audited())[0]).toEqual(['jog.end', 'replaced']);
    await anna.release();
  });
});

describe('Jog over the WebSocket', () => {
  it('answers every frame, and stops with the stick', async () => {
    const anna = await driver();
    const socket = await connected(anna.token);
    expect(await anna.over(socket, ZERO)).toEqual({ type: 'jog_ack', seq: 1, stamp: expect.any(String) });
    expect(await anna.over(socket, FORWARD)).toEqual({ type: 'jog_ack', seq: 2, stamp: expect.any(String) });
    expect(await isMoving()).toBe(true);
    expect(await anna.over(socket, { vx: Number.NaN, vy: 0, wz: 0 })).toMatchObject({
      seq: 3,
      error: { code: 'validation_failed' },
    });
    await standsStill();
    await anna.release();
    socket.socket.close();
  });

  it('is over when a stop comes, until the stick was let go', async () => {
    const anna = await driver();
    const socket = await connected(anna.token);
    await anna.over(socket, ZERO);
    await anna.over(socket, FORWARD);
    expect((await service.as('USER', '/api/v2/stop', { method: 'POST' })).json.stopped).toBe(true);
    expect(await anna.over(socket, FORWARD)).toMatchObject({ error: { code: 'stopped' } });
    expect(await isMoving()).toBe(false);
    await anna.over(socket, ZERO);
    expect(await anna.over(socket, FORWARD)).not.toHaveProperty('error');
    await anna.release();
    socket.socket.close();
  });

  it('is over when the connection is cut', async () => {
    const anna = await driver();
    const socket = await connected(anna.token);
    await anna.over(socket, ZERO);
    await anna.over(socket, { ...FORWARD, deadline_ms: 1_000 });
    socket.socket.terminate();
    await standsStill();
    expect((await audited())[0]).toEqual(['jog.end', 'disconnected']);
    await anna.release();
  });

  it('is over when its client logs out, with the next frame', async () => {
    const anna = await driver();
    const socket = await connected(anna.token);
    await anna.over(socket, ZERO);
    await anna.over(socket, { ...FORWARD, deadline_ms: 1_000 });
    await anna.send('/api/v2/auth/logout', { method: 'POST' });
    socket.send({ type: 'jog', lease: anna.lease, ...FORWARD, seq: 100 });
    expect(await socket.closed()).toBe(4401);
    await standsStill();
    expect((await audited())[0]).toEqual(['jog.end', 'disconnected']);
    await until('the lease lapses', async () => (await service.as('USER', '/api/v2/lease/')).json.state === 'stale');
  });

  it('has a budget of its own: 100 frames a second', async () => {
    const anna = await driver();
    const [patient, eager] = [await connected(anna.token), await connected(anna.token)];
    for (let n = 0; n < 90; n += 1) patient.send({ type: 'jog', lease: anna.lease, ...ZERO, seq: n });
    for (let n = 0; n < 40; n += 1) patient.send({ type: 'ping' });
    await patient.next('a pong', ({ type }) => type === 'pong');
    expect(patient.socket.readyState).toBe(patient.socket.OPEN);
    for (let n = 0; n < 101; n += 1) eager.send({ type: 'jog', lease: anna.lease, ...ZERO, seq: n });
    expect(await eager.closed()).toBe(1008);
    patient.socket.close();
    await anna.release();
  });

  it('is refused before the client is known, and taken right behind its token', async () => {
    const anna = await driver();
    const socket = openEvents(service.url);
    await until('it is open', () => socket.socket.readyState === socket.socket.OPEN);
    socket.send({ type: 'jog', lease: anna.lease, ...ZERO, seq: 1 });
    expect(await socket.next('an error', ({ type }) => type === 'error')).toMatchObject({ code: 'missing_token' });
    socket.send({ type: 'authenticate', token: anna.token });
    socket.send({ type: 'jog', lease: anna.lease, ...ZERO, seq: 2 });
    expect(await socket.next('an ack', ({ type }) => type === 'jog_ack')).not.toHaveProperty('error');
    await anna.release();
    socket.socket.close();
  });

  it('is for one of two tabs: the other has no lease', async () => {
    const anna = await driver();
    const [tab, other] = [await connected(anna.token), await connected(anna.token)];
    await anna.over(tab, ZERO);
    await anna.over(tab, FORWARD);
    const instance = randomBytes(16).toString('base64url');
    const second = await anna.send('/api/v2/lease/', { method: 'POST', body: { instance } });
    expect([second.status, second.json.code]).toEqual([409, 'lease_held']);
    other.send({ type: 'jog', ...ZERO, seq: 1_000 });
    expect(await other.next('an ack', ({ type }) => type === 'jog_ack')).toMatchObject({
      error: { code: 'lease_held' },
    });
    other.socket.terminate();
    expect(await anna.over(tab, FORWARD)).not.toHaveProperty('error');
    expect(await isMoving()).toBe(true);
    await anna.release();
    tab.socket.close();
  });
});

describe('Jog frames that are refused', () => {
  it('do not fill the log', async () => {
    const lines: string[] = [];
    const logger = loggerInto(lines, 'info');
    const other = await startTestService({ settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: '' }, logger });
    const send = (path: string, body: unknown) => other.as('USER', path, { method: 'POST', body });
    const lease = (await send('/api/v2/lease/', { instance: 'a'.repeat(22) })).json.lease_id ?? 'none';
    for (let seq = 1; seq <= 5; seq += 1) {
      const { status } = await send('/api/v2/jog/', { lease, vx: 0, vy: 0, wz: 0, seq, stamp: '', deadline_ms: 300 });
      expect(status).toBe(503);
    }
    await other.stop();
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect(lines.filter((line) => line.includes('/jog/') && line.includes('"status":503'))).toHaveLength(5);
  });
});
