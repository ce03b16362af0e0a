import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { events } from '../../../functions/shared/events/ports.ts';
import { keyStore, tokens } from '../../../functions/shared/identity/ports.ts';
import { give } from '../../../functions/shared/port.ts';
import { EVENT_LIMITS } from '../../../local-host/events/limits.ts';
import { FakeKeyStore, keyRecord } from '../../support/auth.ts';
import { openSse, subscribeEvents } from '../../support/event-client.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const LIFE_MS = 1_800_000;

let service: TestService;
let keys: FakeKeyStore;
let skew: number;
/** Holds the clock, so that no tolerance can pass. */
let frozenAt: number | undefined;
beforeEach(async () => {
  skew = 0;
  frozenAt = undefined;
  keys = new FakeKeyStore([keyRecord('k1', 'USER')]);
  service = await startTestService({
    clock: () => frozenAt ?? Date.now() + skew,
    given: [give(keyStore, keys)],
    limits: { events: { ...EVENT_LIMITS, checkMs: 20 } },
  });
});
afterEach(() => service.stop());

async function mint(clientId: string = randomUUID()): Promise<string> {
  const minter = await service.ports.get(tokens);
  return (await minter.mint({ clientId, accessLevel: 'USER', keyId: 'k1', mayPublish: false })).token;
}

const mission = async (id: string) =>
  (await service.ports.get(events)).publish('missions', 'started', { id, skills: [], client: 'x' }, { subject: id });

describe('A WebSocket', () => {
  it('is told 60 s before its token ends, and closed with 4401 when it has ended', async () => {
    const client = await subscribeEvents(service.url, ['missions'], { token: await mint() });
    skew = LIFE_MS - 50_000;
    await client.next('it is told', ({ type }) => type === 'token_expiring');
    frozenAt = Date.now() + LIFE_MS;
    expect(await client.closed()).toBe(4401);
  });

  it('goes on under a refreshed token of the same client id only', async () => {
    const clientId = randomUUID();
    const client = await subscribeEvents(service.url, ['missions'], { token: await mint(clientId) });
    skew = LIFE_MS - 50_000;
    client.send({ type: 'authenticate', token: await mint() });
    await client.next('another one is refused', ({ type, code }) => type === 'error' && code === 'token_invalid');
    client.send({ type: 'authenticate', token: await mint(clientId) });
    await until('it is accepted', () => client.messages.filter(({ type }) => type === 'authenticated').length === 2);
    skew = LIFE_MS + 10_000;
    await mission('m1');
    await client.next('it still gets events', ({ type }) => type === 'event');
    client.socket.close();
  });

  it('is closed with 4403 when its key is revoked', async () => {
    const client = await subscribeEvents(service.url, ['missions'], { token: await mint() });
    keys.records = [keyRecord('k1', 'USER', { revoked_at: '2027-01-02T00:00:00Z' })];
    expect(await client.closed()).toBe(4403);
    expect(client.messages.at(-1)).toMatchObject({ type: 'error', code: 'key_revoked' });
  });

  it('gets every ordered event once through three ends of its token', async () => {
    let token = await mint();
    let after: string | undefined;
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const client = await subscribeEvents(service.url, ['missions'], {
        token,
        ...(after === undefined ? {} : { after }),
      });
      for (const part of ['a', 'b']) await mission(`${round}${part}`);
      await until('they are there', () => client.events().some(({ subject }) => subject === `${round}b`));
      skew += LIFE_MS / 100; // the history remembers ten minutes
      keys.records = [keyRecord('k1', 'USER', { revoked_at: '2027-01-02T00:00:00Z' })];
      await client.closed();
      keys.records = [keyRecord('k1', 'USER')];
      seen.push(...client.events().map(({ subject }) => subject));
      after = client.events().at(-1).id;
      await mission(`${round}c`);
      token = await mint();
    }
    expect(seen).toEqual(['0a', '0b', '0c', '1a', '1b', '1c', '2a', '2b', '2c', '3a', '3b']);
  });
});

describe('A server-sent stream', () => {
  const headersFor = async () => ({ authorization: `Bearer ${await mint()}` });

  it('ends with a comment when its token has ended', async () => {
    const stream = await openSse(service.url, 'missions', await headersFor());
    frozenAt = Date.now() + LIFE_MS;
    await stream.ended();
    expect(stream.text()).toMatch(/: the token has ended\n\n$/);
  });

  it('gets every ordered event once through three ends of its token', async () => {
    let last: string | undefined;
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const headers = { ...(await headersFor()), ...(last === undefined ? {} : { 'last-event-id': last }) };
      const stream = await openSse(service.url, 'missions,alerts', headers);
      await until('it has subscribed', () => stream.named('subscribed').length === 1);
      await mission(`${round}a`);
      await until('it is there', () => stream.named('message').some(({ subject }) => subject === `${round}a`));
      skew += LIFE_MS / 4;
      keys.records = [];
      await stream.ended();
      keys.records = [keyRecord('k1', 'USER')];
      seen.push(...stream.named('message').map(({ subject }) => subject));
      last = stream.lastId();
      await mission(`${round}b`);
    }
    expect(seen).toEqual(['0a', '0b', '1a', '1b', '2a', '2b', '3a']);
  });
});
