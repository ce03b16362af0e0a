import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ownClient } from '../support/own-client.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

const LEASE = '/api/v2/lease/';
const GO_TO = '/api/v2/commands/go_to_absolute/';
const FAR = { value: { x: 500 } };

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(async () => {
  await service.as('ADMIN', '/api/v2/stop', { method: 'POST' });
});
afterAll(() => service.stop());

/** A client of its own, with a token of its own. */
async function client(of: TestService, accessLevel: 'ADMIN' | 'USER' = 'USER') {
  const own = await ownClient(of, accessLevel, 'local');
  const { instance, send } = own;
  return {
    ...own,
    acquire: (more: object = {}) => send(LEASE, { method: 'POST', body: { instance, ...more } }),
    take: (more: object = {}) =>
      send(`${LEASE}take`, { method: 'POST', body: { instance, reason: 'somebody is in the way', ...more } }),
    keep: (id: string) => send(`${LEASE}${id}`, { method: 'PUT' }),
    release: (id: string) => send(`${LEASE}${id}`, { method: 'DELETE' }),
    drive: (lease?: string) =>
      send(GO_TO, { method: 'POST', body: FAR, ...(lease === undefined ? {} : { headers: { lease } }) }),
  };
}

async function isMoving(of = service): Promise<boolean> {
  return (await of.as('USER', '/api/v2/get/get_pose')).json.result.moving;
}

describe('The lease on the robot', () => {
  it('is free, then fresh and shown to everybody without its id, then free again', async () => {
    const anna = await client(service);
    expect((await anna.send(LEASE)).json).toMatchObject({ state: 'free', holder: null, fenced_by_robot: false });
    const { status, json } = await anna.acquire({ note: 'a tour' });
    expect([status, json.ttl_ms]).toEqual([200, 2000]);
    const shown = (await (await client(service)).send(LEASE)).json;
    expect(shown).toMatchObject({ state: 'fresh', generation: json.generation, holder: { key_name: 'local' } });
    expect(JSON.stringify(shown)).not.toContain(json.lease_id);
    expect((await anna.release(json.lease_id)).json).toEqual({ released: true });
    expect((await anna.send(LEASE)).json.state).toBe('free');
  });

  it('lets only its holder move the robot, and anybody ask and stop', async () => {
    const [anna, ben] = [await client(service), await client(service)];
    const { lease_id } = (await anna.acquire()).json;
    const refused = await ben.drive();
    expect([refused.status, refused.json.code, refused.json.command_ran]).toEqual([409, 'lease_held', 'no']);
    expect(refused.json.holder).toMatchObject({ key_name: 'local', client: expect.stringMatching(/^[0-9a-f-]{8}$/) });
    expect((await ben.drive(lease_id)).json.code).toBe('lease_held');
    expect((await anna.drive()).json).toMatchObject({
      code: 'lease_held',
      detail: expect.stringContaining('send its id in the header Lease'),
    });
    expect(await isMoving()).toBe(false);
    expect((await anna.drive(lease_id)).status).toBe(200);
    expect((await ben.send('/api/v2/get/get_pose')).json.result.moving).toBe(true);
    expect((await ben.send('/api/v2/stop', { method: 'POST' })).json.stopped).toBe(true);
    expect((await anna.drive(lease_id)).status).toBe(200);
    await anna.release(lease_id);
  });

  it.each(['v1', 'v2'])('holds for every kind of command, %s', async (version) => {
    const [anna, ben] = [await client(service), await client(service)];
    const { lease_id } = (await anna.acquire()).json;
    const body = { command: 'go_to_absolute', value: { x: 1 } };
    const path = `/api/${version}/coordinates/`;
    expect((await ben.send(path, { method: 'POST', body })).json.code).toBe('lease_held');
    expect((await anna.send(path, { method: 'POST', body, headers: { lease: lease_id } })).status).toBe(200);
    expect((await ben.send(`/api/${version}/get/exit_arms_collision`)).json.code).toBe('lease_held');
    await anna.release(lease_id);
  });

  it('lapses when its holder is silent, and stops what it has begun', async () => {
    const anna = await client(service);
    const { lease_id } = (await anna.acquire({ ttl_ms: 500 })).json;
    expect((await anna.drive(lease_id)).status).toBe(200);
    await until('the lease to lapse', async () => (await anna.send(LEASE)).json.state === 'stale');
    expect(await isMoving()).toBe(false);
    const late = await anna.drive(lease_id);
    expect([late.status, late.json.code]).toEqual([410, 'lease_lost']);
    expect(await isMoving()).toBe(false);
    const revived = await anna.keep(lease_id);
    expect(revived.status).toBe(200);
    expect(revived.json.lease_id).not.toBe(lease_id);
    expect((await anna.keep(lease_id)).json.code).toBe('lease_lost');
    await anna.release(revived.json.lease_id);
  });

  it('is kept by keep-alives behind a wait on the same connection', async () => {
    const anna = await client(service);
    // Again where the machine has stalled for longer than the lease: without keep-alives none would be fresh at the end.
    await until('a lease is kept', async () => {
      const { lease_id } = (await anna.acquire({ ttl_ms: 500 })).json;
      const skill = await anna.send('/api/v2/commands/skill/', {
        method: 'POST',
        headers: { lease: lease_id },
        body: { value: { name: 'wait', seconds: 60 } },
      });
      if (skill.status !== 200) return false;
      const connection = connect(Number(new URL(service.url).port), '127.0.0.1');
      const request = (line: string, body = '') =>
        connection.write(
          `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${anna.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      request('POST /api/v2/commands/wait_for_skill/', JSON.stringify({ value: skill.json.result.msg }));
      for (let n = 0; n < 15; n += 1) {
        request(`PUT ${LEASE}${lease_id}`);
        await sleep(100);
      }
      const { state } = (await anna.send(LEASE)).json;
      connection.destroy();
      await anna.release(lease_id);
      return state === 'fresh';
    });
  });

  it('leaves alone what was begun without it', async () => {
    const [anna, ben] = [await client(service), await client(service)];
    expect((await ben.drive()).status).toBe(200);
    await anna.acquire({ ttl_ms: 500 });
    await until('the lease to lapse', async () => (await anna.send(LEASE)).json.state === 'stale');
    expect(await isMoving()).toBe(true);
  });

  it('is taken by an ADMIN only, which stops the robot', async () => {
    const [anna, admin] = [await client(service), await client(service, 'ADMIN')];
    const { lease_id } = (await anna.acquire({ ttl_ms: 60_000 })).json;
    await anna.drive(lease_id);
    expect((await (await client(service)).take()).json.code).toBe('insufficient_access');
    const taken = await admin.take();
    expect(taken.status).toBe(200);
    expect(await isMoving()).toBe(false);
    expect((await anna.drive(lease_id)).json).toMatchObject({ code: 'lease_lost', holder: { key_name: 'local' } });
    expect((await admin.drive(taken.json.lease_id)).status).toBe(200);
    await admin.release(taken.json.lease_id);
  });

  it('goes to one of many who ask for it at once', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => client(service)));
    const answers = await Promise.all(clients.map((each) => each.acquire()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    await clients[winner]?.release(answers[winner]?.json.lease_id);
  });

  it.each<[string, object, string]>([
    ['a short instance', { instance: 'tab' }, '/instance'],
    ['too short a time', { ttl_ms: 499 }, '/ttl_ms'],
    ['too long a time', { ttl_ms: 60_001 }, '/ttl_ms'],
    ['an unknown member', { steal: true }, '/steal'],
  ])('refuses %s', async (_what, body, pointer) => {
    const answer = await (await client(service)).acquire(body);
    expect([answer.status, answer.json.errors[0].pointer]).toEqual([422, pointer]);
  });

  it('has no id "take"', async () => {
    const anna = await client(service);
    for (const { status, headers } of [await anna.keep('take'), await anna.release('take')]) {
      expect([status, headers.allow]).toEqual([405, 'POST']);
    }
  });

  it('answers 410 to an id that nobody was given', async () => {
    const anna = await client(service);
    for (const answer of [await anna.keep('unknown'), await anna.release('unknown'), await anna.drive('unknown')]) {
      expect([answer.status, answer.json.code, answer.json.holder]).toEqual([410, 'lease_lost', null]);
    }
  });
});

describe('A robot that cannot be reached', () => {
  it('is taken, and the answer says that its stop is not confirmed', async () => {
    const unreachable = await startTestService({ settings: { SERVICE_ROBOT_URL: 'mqtt://127.0.0.1:1/robot-1' } });
    try {
      const admin = await client(unreachable, 'ADMIN');
      const { status, json } = await admin.take();
      expect([status, json.code, json.stop_confirmed]).toEqual([504, 'robot_timeout', false]);
      expect((await admin.keep(json.lease_id)).status).toBe(200);
    } finally {
      await unreachable.stop();
    }
  });
});

describe('SERVICE_LEASE=required', () => {
  it('moves the robot for the holder of the lease only', async () => {
    const strict = await startTestService({ settings: { SERVICE_LEASE: 'required' } });
    try {
      const anna = await client(strict);
      expect((await anna.drive()).json).toMatchObject({ code: 'lease_required', status: 409, command_ran: 'no' });
      expect((await strict.as('USER', '/api/v2/get/get_pose')).status).toBe(200);
      const { lease_id } = (await anna.acquire()).json;
      expect((await anna.drive(lease_id)).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});
