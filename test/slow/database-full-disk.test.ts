import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { sourceUrl } from '../support/run-source.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

/** Runs in a mount namespace of its own, where the data folder lies on a disk of 4 MiB; answers what it saw as JSON. */
const DRIVER = `
  import { spawnSync } from 'node:child_process';
  import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
  import { openDatabase } from '${sourceUrl('functions/shared/adapters/database/open.ts')}';
  import { loadConfig } from '${sourceUrl('functions/shared/config.ts')}';
  import { createLogger } from '${sourceUrl('functions/shared/logger.ts')}';
  const { config } = loadConfig(process.env);
  const dir = config.SERVICE_DATA_DIR;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', dir]);
  if (mounted.status !== 0) throw new Error(String(mounted.stderr));
  const database = await openDatabase(config, createLogger('silent'), Date.now);
  const table = 'robots_table';
  const seen = {};
  const attempt = async (name, work) => {
    seen[name] = await work().then(() => 'done', (error) => error.status + ' ' + error.code);
  };
  const rows = async () => {
    const { body } = await database.readRows(table, {}, new AbortController().signal);
    let text = '';
    for await (const chunk of body) text += chunk;
    return JSON.parse(text);
  };
  const big = 'x'.repeat(20_000);
  for (let n = 0; n < 20; n++) await database.insert(table, { name: big });
  await database.exportTables({ table }, 'before.csv');
  const exported = readFileSync(dir + '/exports/before.csv', 'utf8');
  writeFileSync(dir + '/exports/other.csv', exported.replaceAll('x', 'y'));

  let acknowledged = 20;
  seen.insert = 'done';
  while (seen.insert === 'done' && acknowledged < 1000) {
    await attempt('insert', () => database.insert(table, { name: big }));
    if (seen.insert === 'done') acknowledged += 1;
  }
  writeFileSync(dir + '/filler', '');
  try { for (;;) writeFileSync(dir + '/filler', 'x'.repeat(4096), { flag: 'a' }); } catch {}
  const before = JSON.stringify(await rows());
  await attempt('update', () => database.update(table, 1, { name: 'y'.repeat(100_000) }));
  await attempt('clear', () => database.clear({ table }));
  await attempt('clearAll', () => database.clear('every'));
  await attempt('export', () => database.exportTables({ table }, 'before.csv'));
  await attempt('import', () => database.importTables({ table }, 'other.csv'));
  seen.unchanged = JSON.stringify(await rows()) === before;
  seen.acknowledged = (await rows()).length === acknowledged;
  seen.exportUntouched = readFileSync(dir + '/exports/before.csv', 'utf8') === exported;
  seen.left = [...readdirSync(dir + '/exports'), ...readdirSync(dir + '/backups')];
  rmSync(dir + '/filler');
  rmSync(dir + '/exports/before.csv');
  await attempt('afterwards', () => database.insert(table, { name: 'small' }));
  await database.close();
  const again = await openDatabase(config, createLogger('silent'), Date.now);
  seen.problem = again.problem() ?? null;
  await again.close();
  console.log(JSON.stringify(seen));`;

describeWith('unshare', '/usr/bin/unshare', 'A full disk', () => {
  it('is 507 for every write, and changes nothing', () => {
    const home = temporaryFolder();
    mkdirSync(join(home, '.robot-rest'));
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', DRIVER];
    const { status, stdout, stderr } = spawnSync('/usr/bin/unshare', ['--map-root-user', '--mount', ...node], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      insert: '507 storage_full',
      update: '507 storage_full',
      clear: '507 storage_full',
      clearAll: '507 storage_full',
      export: '507 storage_full',
      import: '507 storage_full',
      unchanged: true,
      acknowledged: true,
      exportUntouched: true,
      left: ['before.csv', 'other.csv'],
      afterwards: 'done',
      problem: null,
    });
  });
});
