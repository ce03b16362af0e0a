import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fileRecord } from '../../../../functions/system/network/adapters/wifi-record-file.ts';
import { describeOnDisks } from '../../../support/small-disk.ts';
import { loggerInto, silentLogger, temporaryFolder } from '../../../support/world.ts';

const NOON = Date.parse('2026-05-01T12:00:00Z');
const recordAt = (path: string) => fileRecord(path, () => NOON, silentLogger);

describe('The record of the last Wi-Fi configure', () => {
  it('is empty, without a warning, before the first', async () => {
    const lines: string[] = [];
    const logger = loggerInto(lines, 'trace');
    const record = fileRecord(join(temporaryFolder(), 'none', 'last.json'), () => NOON, logger);
    expect([await record.last(), lines]).toEqual([null, []]);
  });

  it('survives a restart', async () => {
    const path = join(temporaryFolder(), 'data', 'last.json');
    const record = recordAt(path);
    await record.start('Kitchen');
    await record.finish('failed', 'wifi_wrong_password');
    const kept = {
      ssid: 'Kitchen',
      outcome: 'failed',
      code: 'wifi_wrong_password',
      finished_at: '2026-05-01T12:00:00.000Z',
    };
    expect(await record.last()).toEqual(kept);
    expect(await recordAt(path).last()).toEqual(kept);
  });

  it('reports after a restart that a configure was interrupted', async () => {
    const path = join(temporaryFolder(), 'last.json');
    const record = recordAt(path);
    await record.start('Kitchen');
    record.close();
    await record.finish('failed', 'component_unavailable');
    expect(await recordAt(path).last()).toEqual({ ssid: 'Kitchen', outcome: 'interrupted', finished_at: null });
  });

  it('takes one at a time', async () => {
    const record = recordAt(join(temporaryFolder(), 'last.json'));
    await record.start('Kitchen');
    await expect(record.start('Attic')).rejects.toMatchObject({ code: 'busy' });
    await record.finish('connected');
    await record.start('Attic');
    expect(await record.last()).toMatchObject({ ssid: 'Attic', outcome: 'in_progress' });
  });

  it.each([
    ['half a file', '{"ssid":"Kit'],
    ['a file of something else', '{"outcome":"won"}'],
  ])('continues without its memory over %s', async (_what, text) => {
    const path = join(temporaryFolder(), 'last.json');
    writeFileSync(path, text);
    const record = recordAt(path);
    expect(await record.last()).toBeNull();
    await record.start('Kitchen');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ ssid: 'Kitchen' });
  });

  it('causes no failure when it cannot be written', async () => {
    const path = join(temporaryFolder(), 'last.json');
    mkdirSync(path);
    const record = recordAt(path);
    await record.start('Kitchen');
    await record.finish('connected');
    expect(await record.last()).toMatchObject({ ssid: 'Kitchen', outcome: 'connected' });
  });
});

describeOnDisks('The record of the last Wi-Fi configure on a full disk', (mount) => {
  it('is lost, and leaves nothing half written', async () => {
    const disk = mount(1024 * 1024);
    disk.fill();
    const record = recordAt(join(disk.folder, 'last.json'));
    await record.start('Kitchen');
    expect(await record.last()).toMatchObject({ ssid: 'Kitchen' });
    expect(readdirSync(disk.folder)).toEqual(['filler']);
  });
});
