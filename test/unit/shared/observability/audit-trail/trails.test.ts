import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '../../../../../functions/shared/kit/json.ts';
import {
  AuditTrails,
  LASTING_SERIES,
} from '../../../../../functions/shared/observability/adapters/audit-trail/trails.ts';
import type { AuditEntry } from '../../../../../functions/shared/observability/audit-trail.port.ts';
import { auditEntry, readInPages } from '../../../../support/audit-entries.ts';
import { loggerInto, temporaryFolder } from '../../../../support/world.ts';

let folder: string;
let trails: AuditTrails;
let lines: string[];
let now: number;

beforeEach(() => {
  folder = temporaryFolder();
  lines = [];
  now = Date.parse('2026-01-01T00:00:00Z');
  trails = open();
});
afterEach(() => trails.close());

function open(series = LASTING_SERIES): AuditTrails {
  const logger = loggerInto(lines, 'info');
  return new AuditTrails(
    { everyday: join(folder, 'audit.jsonl'), lasting: join(folder, 'lasting.jsonl') },
    logger,
    series,
  );
}

function entry(action: string, subject: JsonObject = {}, changes: Partial<AuditEntry> = {}): AuditEntry {
  now += 1000;
  return auditEntry(now, { action, subject, ...changes });
}

async function read(limit = 1000): Promise<AuditEntry[]> {
  return (await trails.read({ limit })).entries;
}

describe('The audit trail', () => {
  it.each([
    'key.create',
    'signing-key.rotate',
    'skill.upload',
    'database.restore',
    'database.clear',
    'network.configure',
    'token.publisher',
    'llm_config.patch',
  ])('writes %s to files of their own and to the log', async (action) => {
    trails.append(entry(action, { name: 'mine' }));
    await read();
    expect(readdirSync(folder)).toEqual(['lasting.jsonl']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', audit: { action } }]);
  });

  it('keeps lasting entries whatever the number of commands', async () => {
    trails.append(entry('key.create', { name: 'mine' }));
    for (let bundle = 0; bundle < 22; bundle += 1) {
      for (let index = 0; index < 200; index += 1)
        trails.append(entry('command', { command: 'say', value: `${bundle} ${index} ${'x'.repeat(5000)}` }));
      await read(1);
    }
    expect(readdirSync(folder)).toContain('audit.jsonl.19');
    expect((await trails.read({ limit: 10, action: 'key.create' })).entries).toMatchObject([
      { subject: { name: 'mine' } },
    ]);
    expect(lines).toHaveLength(1);
  });

  it('is read as one series by time, page by page', async () => {
    const actions = ['key.create', 'command', 'command', 'skill.upload', 'database.add', 'database.clear', 'command'];
    const all = actions.map((action, index) => entry(action, { index }));
    for (const one of all) trails.append(one);
    expect(await readInPages(trails, 2)).toEqual(all.reverse());
  });

  it('drops lasting entries older than 400 days', async () => {
    await trails.close();
    trails = open({ ...LASTING_SERIES, fileBytes: 1 });
    for (const name of ['old', 'young', 'youngest']) {
      trails.append(entry('key.create', { name }));
      await read();
      const old = new Date(Date.now() - 401 * 24 * 60 * 60 * 1000);
      if (name === 'old') utimesSync(join(folder, 'lasting.jsonl.1'), old, old);
    }
    expect((await read()).map(({ subject }) => subject.name)).toEqual(['youngest', 'young']);
    expect(readdirSync(folder).sort()).toEqual(['lasting.jsonl.1', 'lasting.jsonl.2']);
  });
});

describe('Equal actions within ten seconds', () => {
  it('are written at once the first time, then as one with a count', async () => {
    for (let time = 0; time < 5; time += 1)
      trails.append(entry('command', { command: 'stop' }, { request_id: `request-${time}` }));
    trails.append(entry('command', { command: 'stop' }, { client_id: 'client-2' }));
    trails.append(entry('command', { command: 'stop' }, { outcome: 'robot_error' }));
    const entries = await read();
    expect(entries).toHaveLength(4);
    expect(entries[2]).toMatchObject({
      count: 4,
      request_id: 'request-4',
      first_at: '2026-01-01T00:00:02.000Z',
      at: '2026-01-01T00:00:05.000Z',
    });
    expect(entries[3]).not.toHaveProperty('count');
    expect(await read()).toEqual(entries);
  });

  it('are written when the time is over without a reader', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    try {
      for (let time = 0; time < 3; time += 1) trails.append(entry('skill.remove', { skill: 'a' }));
      jest.advanceTimersByTime(10_000);
    } finally {
      jest.useRealTimers();
    }
    expect(lines.map((line) => JSON.parse(line).audit.count)).toEqual([undefined, 2]);
  });
});

describe('A secret in a recorded value', () => {
  it.each<[JsonObject, JsonObject]>([
    [
      { command: 'join', value: { ssid: 'x', psk: 's3cret' } },
      { command: 'join', value: { ssid: 'x', psk: '***' } },
    ],
    [
      { command: 'join', value: [{ deep: { Password: 's3cret' } }] },
      { command: 'join', value: [{ deep: { Password: '***' } }] },
    ],
    [
      { command: 'set_wifi_password', value: 's3cret' },
      { command: 'set_wifi_password', value: '***' },
    ],
    [
      { command: 'run', value: 'ssid=x psk=s3cret;y' },
      { command: 'run', value: 'ssid=x psk=***;y' },
    ],
    [
      { command: 'run', value: '{"password": "s3cret"}' },
      { command: 'run', value: '{"password": "***"}' },
    ],
    [
      { command: 'set', value: { name: 'wifi_psk', value: 's3cret' } },
      { command: 'set', value: { name: 'wifi_psk', value: '***' } },
    ],
    [
      { command: 'say', value: 'the password is long' },
      { command: 'say', value: 'the password is long' },
    ],
  ])('is masked: %j', async (subject, kept) => {
    trails.append(entry('command', subject));
    expect((await read())[0]?.subject).toEqual(kept);
  });
});
