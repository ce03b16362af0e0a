import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AuditFile, type Series } from '../../../../../functions/shared/observability/adapters/audit-trail/file.ts';
import type { AuditEntry } from '../../../../../functions/shared/observability/audit-trail.port.ts';
import { auditEntry, readInPages } from '../../../../support/audit-entries.ts';
import { describeOnDisks } from '../../../../support/small-disk.ts';
import { loggerInto, silentLogger, temporaryFolder } from '../../../../support/world.ts';

const entry = (changes?: Partial<AuditEntry>) => auditEntry(Date.parse('2026-01-01T00:00:00Z'), changes);
const everything = { limit: 1000 };

function readlinkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}

const opened: AuditFile[] = [];
function openTrail(path: string, ...rest: [typeof silentLogger, Series?]): AuditFile {
  const trail = new AuditFile(path, ...rest);
  opened.push(trail);
  return trail;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((trail) => trail.close()));
});

describe('The audit file', () => {
  it('returns entries newest first and is readable by its owner only', async () => {
    const path = join(temporaryFolder(), 'data', 'audit.jsonl');
    const trail = openTrail(path, silentLogger);
    const [first, second] = [entry(), entry({ action: 'skill.upload', outcome: 'invalid_python' })];
    trail.append(first);
    trail.append(second);
    expect(await trail.read(everything)).toEqual({ entries: [second, first], next: null });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each<[string, Partial<AuditEntry>, Record<string, string>]>([
    ['action', { action: 'key.create' }, { action: 'key.create' }],
    ['client', { client_id: 'client-2' }, { client_id: 'client-2' }],
    ['key', { key_id: 'local' }, { key_id: 'local' }],
    ['outcome', { outcome: 'robot_error' }, { outcome: 'robot_error' }],
    ['begin', { at: '2026-06-01T00:00:00.000Z' }, { since: '2026-05-01T00:00:00.000Z' }],
    ['end', { at: '2025-06-01T00:00:00.000Z' }, { until: '2025-07-01T00:00:00.000Z' }],
  ])('finds entries by %s', async (_name, changes, filter) => {
    const trail = openTrail(join(temporaryFolder(), 'audit.jsonl'), silentLogger);
    const wanted = entry(changes);
    for (const each of [entry(), wanted, entry()]) trail.append(each);
    expect((await trail.read({ ...everything, ...filter })).entries).toEqual([wanted]);
  });

  it('is read page by page without gaps or duplicates', async () => {
    const trail = openTrail(join(temporaryFolder(), 'audit.jsonl'), silentLogger);
    const all = Array.from({ length: 25 }, (_, index) => entry({ request_id: `request-${index}` }));
    for (const each of all) trail.append(each);
    expect(await readInPages(trail, 10)).toEqual(all.reverse());
  });

  it('never grows beyond its files and drops only the oldest entries', async () => {
    const folder = temporaryFolder();
    const trail = openTrail(join(folder, 'audit.jsonl'), silentLogger, { fileBytes: 1000, keptFiles: 19 });
    for (let index = 0; index < 200; index += 1) {
      trail.append(entry({ request_id: `request-${index}` }));
      await trail.close();
    }
    const files = readdirSync(folder);
    expect(files).toContain('audit.jsonl.19');
    expect(files).not.toContain('audit.jsonl.20');
    for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThan(2000);
    const kept = (await trail.read(everything)).entries.map(({ request_id }) => request_id);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => `request-${199 - index}`));
    expect(kept.length).toBeGreaterThan(50);
  });

  it('loses no entry that arrives at any moment of writing', async () => {
    const trail = openTrail(join(temporaryFolder(), 'audit.jsonl'), silentLogger);
    for (let index = 0; index < 300; index += 1) {
      trail.append(entry({ request_id: `request-${index}` }));
      for (let turn = 0; turn < index % 30; turn += 1) await new Promise(setImmediate);
    }
    expect((await trail.read(everything)).entries).toHaveLength(300);
  });

  it('continues after a line cut off by a crash', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl');
    writeFileSync(path, `${JSON.stringify(entry({ request_id: 'old' }))}\n{"id":"cut`);
    const trail = openTrail(path, silentLogger);
    trail.append(entry({ request_id: 'new' }));
    expect((await trail.read(everything)).entries.map(({ request_id }) => request_id)).toEqual(['new', 'old']);
  });

  it.each(['{}', 'null', '"text"', '{"at":"yesterday"}'])('skips the line %s, which is not an entry', async (line) => {
    const path = join(temporaryFolder(), 'audit.jsonl');
    writeFileSync(path, `${line}\n${JSON.stringify(entry({ request_id: 'whole' }))}\n`);
    const { entries } = await openTrail(path, silentLogger).read(everything);
    expect(entries.map(({ request_id }) => request_id)).toEqual(['whole']);
  });

  it('escapes what could be mistaken for another line', async () => {
    const folder = join(temporaryFolder(), 'a');
    mkdirSync(folder);
    const path = join(folder, 'audit.jsonl');
    const trail = openTrail(path, silentLogger);
    trail.append(entry({ subject: { command: 'x\n{"action":"forged"}' } }));
    await trail.close();
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
  });
});

describeOnDisks('The audit file on a full disk', (mount) => {
  it('keeps entries in memory, reports it, and writes them once there is room', async () => {
    const disk = mount(64 * 1024);
    const trail = openTrail(join(disk.folder, 'audit.jsonl'), silentLogger);
    disk.fill();
    trail.append(entry({ request_id: 'while-full' }));
    await trail.close();
    expect(trail.problem()).toBeDefined();
    disk.free();
    trail.append(entry({ request_id: 'after' }));
    const { entries } = await trail.read(everything);
    expect(entries.map(({ request_id }) => request_id)).toEqual(['after', 'while-full']);
    expect(trail.problem()).toBeUndefined();
  });

  it('holds no descriptor of a file whose last line was cut off, however often it tries', async () => {
    const disk = mount(64 * 1024);
    const path = join(disk.folder, 'audit.jsonl');
    writeFileSync(path, 'x'.repeat(4096)); // a whole block, so that not even a line break has room
    const trail = openTrail(path, silentLogger);
    disk.fill();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      trail.append(entry());
      await trail.close();
    }
    const open = readdirSync('/proc/self/fd').map((name) => readlinkOf(`/proc/self/fd/${name}`));
    expect(open.filter((target) => target === path)).toEqual([]);
  });
});

describe('A disk that fails to store entries', () => {
  it('is reported once; the newest ten thousand entries are written when it recovers', async () => {
    const lines: string[] = [];
    const logger = loggerInto(lines, 'error');
    const folder = join(temporaryFolder(), 'data');
    writeFileSync(folder, 'a file where the folder should be');
    const trail = openTrail(join(folder, 'audit.jsonl'), logger);
    const id = (number: number) => `${number}`.padStart(5, '0');
    for (let number = 0; number < 3; number += 1) {
      trail.append(entry({ id: id(number) }));
      await trail.read(everything);
    }
    expect([trail.problem(), lines.length]).toEqual(['the audit trail cannot be written', 1]);
    for (let number = 3; number < 10_003; number += 1) trail.append(entry({ id: id(number) }));
    rmSync(folder);
    await trail.read(everything);
    trail.append(entry({ id: id(10_003) }));
    const { entries } = await trail.read({ limit: 20_000 });
    expect([entries.length, entries[0]?.id, entries.at(-1)?.id]).toEqual([10_000, id(10_003), id(4)]);
    expect(trail.problem()).toBeUndefined();
  });
});
