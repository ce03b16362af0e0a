import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unavailable } from '../../functions/shared/errors.ts';
import { give } from '../../functions/shared/port.ts';
import { simulatedServices } from '../../functions/system/services/adapters/simulated.ts';
import type { LogEntry, ServiceManagers } from '../../functions/system/services/port.ts';
import { serviceManagers } from '../../functions/system/services/ports.ts';
import { unpackAny } from '../support/robot-archive.ts';
import { startTestService, type TestService } from '../support/service.ts';

const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const KEY = 'rk_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg';

/** What services may log although they should not. */
const TELLTALES = [
  `got the token ${JWT} from the client`,
  `x-api-key: ${KEY}`,
  `Authorization: Bearer ${JWT}`,
  'connecting to mqtts://robot:hunter2@broker:8883/',
  'wifi up, psk=correct-horse, ssid=Home',
  '{"password": "hunter2", "user": "ann"}',
  'open http://robot/#pair=AAAAAAAAAAAAAAAAAAAAAA in a browser',
  '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIhunter2\n-----END EC PRIVATE KEY-----',
];

function logging(messages: readonly string[]): ServiceManagers {
  const simulated = simulatedServices(Date.now);
  const entries = messages.map(
    (message, index): LogEntry => ({
      timestamp: `2026-05-04T10:20:3${index}.000000Z`,
      priority: 6,
      pid: 1,
      message,
    }),
  );
  const head: ServiceManagers['systems']['head'] = {
    ...simulated.systems.head,
    units: async () => [],
    logs: async () => ({ entries: Readable.from(entries), truncated: false, cursor: undefined, empty: false }),
  };
  return { ...simulated, systems: { ...simulated.systems, head } };
}

describe('An incident bundle', () => {
  let service: TestService;
  let managers = simulatedServices(Date.now);
  beforeAll(async () => {
    const given: ServiceManagers = {
      kind: 'simulated',
      get systems() {
        return managers.systems;
      },
      close() {},
    };
    service = await startTestService({
      settings: { SERVICE_RELAY_URL: 'mqtt://robot:hunter2@127.0.0.1:1/', SERVICE_ROBOT_NAME: `Pip ${KEY}` },
      given: [give(serviceManagers, given)],
    });
  });
  afterAll(() => service.stop());

  const post = (body?: object, level: 'ADMIN' | 'USER' = 'ADMIN') =>
    service.as(level, '/api/v2/incident/', { method: 'POST', ...(body && { body }) });
  const bundle = async (body?: object) => {
    const { status, bytes, headers } = await post(body);
    expect([status, headers['content-type']]).toEqual([200, 'application/gzip']);
    const folder = unpackAny(bytes);
    const text = (name: string) => readFileSync(join(folder, name), 'utf8');
    const logs = readdirSync(join(folder, 'logs')).map((name) => text(join('logs', name)));
    return { names: readdirSync(folder).sort(), text, logs: logs.join(''), summary: JSON.parse(text('incident.json')) };
  };

  it('holds what is known, and the logs of head and base merged by time', async () => {
    const { names, text, logs, summary } = await bundle();
    expect(names).toEqual([
      'catalogue.json',
      'clock-base.json',
      'clock-head.json',
      'incident.json',
      'lease.json',
      'logs',
      'metrics.txt',
      'readiness.json',
      'runs.json',
      'settings.json',
      'status.json',
      'versions.json',
    ]);
    expect(summary).toMatchObject({ robot_id: 'robot-1', problems: [] });
    expect(JSON.parse(text('status.json'))).toMatchObject({ robot_id: 'robot-1', robot: 'connected' });
    // Half of what the question took, which is long where the machine stalls.
    expect(Math.abs(JSON.parse(text('clock-base.json')).ms_ahead_of_the_service)).toBeLessThan(60_000);
    expect(JSON.parse(text('catalogue.json')).length).toBeGreaterThan(10);
    const lines = logs.trim().split('\n');
    expect(lines).toEqual(lines.toSorted((a, b) => (a.slice(0, 27) < b.slice(0, 27) ? -1 : 0)));
    expect(new Set(lines.map((line) => line.split(' ')[1]))).toEqual(new Set(['head', 'base']));
    expect(lines[0]).toMatch(/^\S+Z (head|base) robot-[a-z]+\.service 6 \[\d+\] simulated: /);
  });

  it('is about the window and the units that were asked for', async () => {
    const until = new Date().toISOString();
    const since = new Date(Date.now() - 60_000).toISOString();
    const { logs, summary } = await bundle({ since, until, units: ['base/robot-nav.service'] });
    const lines = logs.trim().split('\n');
    expect(lines.every((line) => line.includes(' base robot-nav.service ') && line >= since)).toBe(true);
    expect(summary).toMatchObject({ since, until, logs: [['base/robot-nav.service']] });
  });

  it('names the part that fails, and has the rest: base is unreachable', async () => {
    const simulated = simulatedServices(Date.now);
    const away = () => Promise.reject(unavailable('base', `It refused the key ${KEY}.`));
    const base = { ...simulated.systems.base, units: away, logs: away, now: away };
    managers = { ...simulated, systems: { ...simulated.systems, base } };
    const { logs, summary, names } = await bundle();
    expect(summary.problems).toEqual([
      { part: 'clock-base.json', problem: expect.stringContaining('base') },
      { part: 'logs of base', problem: expect.stringContaining('rk_***') },
    ]);
    expect(names).toContain('clock-head.json');
    expect(logs).toContain(' head ');
    const one = await bundle({ units: ['base/robot-nav.service', 'head/robot-vision.service'] });
    expect(one.summary.problems.map(({ part }: { part: string }) => part)).toContain('logs of base/robot-nav.service');
    expect(one.logs).toContain(' head robot-vision.service ');
  });

  it('holds no secret that can be recognized, wherever it was said', async () => {
    managers = logging(TELLTALES);
    const { logs, text } = await bundle({ units: ['head/robot-vision.service'] });
    expect(logs.split('\n').filter((line) => line.startsWith('2026-'))).toHaveLength(TELLTALES.length);
    const everything = logs + ['settings.json', 'status.json', 'readiness.json'].map(text).join('');
    for (const secret of [JWT, KEY, 'hunter2', 'correct-horse', 'AAAAAAAAAAAA'])
      expect(everything).not.toContain(secret);
    expect(logs).toContain('ssid=Home');
    expect(JSON.parse(text('status.json')).name).toBe('Pip rk_***');
    expect(text('settings.json')).toContain('mqtt://robot:***@127.0.0.1:1/');
  });

  it('is refused for a USER, for units that may not be read, and for a window that ends before it begins', async () => {
    expect((await post(undefined, 'USER')).json).toMatchObject({ status: 403 });
    expect((await post({ units: ['head/../x.service'] })).json).toMatchObject({ status: 422 });
    const backwards = { since: '2026-05-04T10:20:30Z', until: '2026-05-04T10:20:29Z' };
    expect((await post(backwards)).json).toMatchObject({ status: 422 });
  });
});
