import { afterEach, describe, expect, it } from '@jest/globals';
import { events } from '../../functions/shared/events/ports.ts';
import { keyStore, tokens } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { EVENT_LIMITS } from '../../local-host/events/limits.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { type EventClient, subscribeEvents } from '../support/event-client.ts';
import { http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** A quarter of what the service allows, so that the test is over in 20 s. */
const LIVENESS = { ...EVENT_LIMITS, pingMs: 4_000, silentMs: 10_000 };
const READS_NOTHING_MS = 20_000;
const MB = 1024 * 1024;
/** A key gets at most as many places as are free for the others. */
const KEYS = Array.from({ length: 64 }, (_, n) => keyRecord(`k${n}`, 'USER'));

let service: TestService;
afterEach(() => service.stop());

describe('1 000 idle sockets', () => {
  it('hold up neither a stop nor an event for all of them', async () => {
    service = await startTestService({ given: [give(keyStore, new FakeKeyStore(KEYS))] });
    const minter = await service.ports.get(tokens);
    const grants = KEYS.map(({ id: keyId }) => minter.mint({ keyId, accessLevel: 'USER', mayPublish: false }));
    const minted = (await Promise.all(grants)).map(({ token }) => token);
    const clients: EventClient[] = [];
    while (clients.length < 1_000) {
      const opening = Array.from({ length: 50 }, (_, index) =>
        subscribeEvents(service.url, ['missions'], { token: String(minted[(clients.length + index) % minted.length]) }),
      );
      clients.push(...(await Promise.all(opening)));
    }
    const headers = { authorization: `Bearer ${minted[0]}` };
    expect((await http(service.url, '/api/v2/stop', { method: 'POST', headers })).json.stopped).toBe(true);
    const hub = await service.ports.get(events);
    hub.publish('missions', 'started', { id: 'm1', skills: [], client: 'x' }, { subject: 'm1' });
    await until('all have it', () => clients.every((client) => client.events().length === 1), 120_000);
    for (const { socket } of clients) socket.terminate();
  });
});

describe('A consumer that reads nothing for long while the state changes 20 times a second', () => {
  it('costs no memory, is given up for its silence, and nobody else notices', async () => {
    service = await startTestService({ limits: { events: LIVENESS } });
    const token = await service.token('USER');
    const good = await subscribeEvents(service.url, ['state'], { token });
    const bad = await subscribeEvents(service.url, ['state'], { token });
    bad.socket.pause();
    const body = { value: { x: 900, y: 900 } };
    await service.as('USER', '/api/v2/commands/go_to_absolute/', { method: 'POST', body });
    await until('the state is told', () => good.events().length > 20);
    const before = process.memoryUsage().rss;
    await new Promise((resolve) => setTimeout(resolve, READS_NOTHING_MS));
    expect(good.events().length).toBeGreaterThan(READS_NOTHING_MS / 1000); // a loaded machine tells fewer than 20 a second
    expect(good.socket.readyState).toBe(good.socket.OPEN);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MB);
    bad.socket.resume();
    expect([1006, 1013, 4408]).toContain(await bad.closed());
    good.socket.terminate();
  });
});
