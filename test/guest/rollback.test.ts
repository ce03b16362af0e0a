import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_TIMEOUT_MS } from '../support/guest.ts';
import { http } from '../support/http.ts';
import { InstalledGuest } from '../support/installed-guest.ts';

describe('A rollback of the installed service', () => {
  let world: InstalledGuest;

  beforeAll(async () => {
    world = await InstalledGuest.boot();
  }, BOOT_TIMEOUT_MS);
  afterAll(() => world?.guest.stop());

  it('runs its old version again when a newer one fails to start', async () => {
    const { build } = world;
    const broken = 'cp -R build broken && echo 98.0.0 > broken/build-id && echo "process.exit(1)" > broken/main.js';
    const told = await world.guest.run(`${broken} && broken/deploy/install.sh 2>&1 || echo code $?`);
    expect(told).toContain('The old version is running again.');
    expect(told).toMatch(/code 1\n$/);
    expect(await world.guest.run('ls /opt/robot-rest/releases; readlink /opt/robot-rest/current')).toBe(
      `${build}\nreleases/${build}\n`,
    );
    expect((await http(world.network, '/status', { headers: { host: 'localhost' } })).status).toBe(200);
  });

  it('warns before a rollback that the data are newer, and works with the snapshot it names', async () => {
    const { build } = world;
    const item = { id: 7, name: 'kept' };
    const categories = async () => (await world.asAdmin('/api/v2/database/read/?tablename=categories_table')).json;
    const body = { tablename: 'categories_table', item };
    expect((await world.asAdmin('/api/v2/database/add_item/', { method: 'POST', body })).status).toBe(200);
    const before = await categories();

    // The newer version is this one under another name. What it would do at its start is done by hand: snapshot, schema.
    const newer = 'cp -R build newer && echo 99.0.0 > newer/build-id && echo 99 > newer/deploy/database-schema';
    await world.guest.run(`${newer} && newer/deploy/install.sh`);
    const migrate = `
      const Database = require('/opt/robot-rest/current/node_modules/better-sqlite3');
      const database = new Database('robot.sqlite');
      database.exec("vacuum into 'backups/snapshot-000001-20260401T120000Z.sqlite'");
      database.pragma('user_version = 99');`;
    await world.guest.put('/tmp/migrate.cjs', migrate);
    const asService = 'setpriv --reuid robot-rest --regid robot-rest --init-groups';
    await world.guest.run('systemctl stop robot-rest');
    await world.guest.run(
      `cd /var/lib/robot-rest && mkdir -p backups && chown robot-rest: backups && ${asService} node /tmp/migrate.cjs`,
    );
    await world.guest.run('systemctl start robot-rest');
    expect((await world.asAdmin('/api/v2/database/read/?tablename=categories_table')).status).toBe(503);

    const { MainPID } = await world.show('MainPID');
    const rollBack = '/opt/robot-rest/current/deploy/install.sh --rollback';
    const told = await world.guest.run(`${rollBack} 2>&1 || echo code $?`);
    expect(told).toContain(`The database may have a newer schema than ${build} supports`);
    expect(told).toContain('Nothing was changed.');
    expect(told).toMatch(/code 1\n$/);
    expect(await world.show('MainPID')).toEqual({ MainPID });
    expect(await world.guest.run('readlink /opt/robot-rest/current')).toBe('releases/99.0.0\n');

    const advice = told.split('\n').filter((line) => /^ {2}(systemctl|mkdir|install) /.test(line));
    expect(advice).toHaveLength(3);
    await world.guest.run(advice.join(' && '));
    expect(await world.guest.run(`${rollBack} --anyway`)).toBe(`Now current: ${build}\n`);
    expect(await categories()).toEqual(before);
    expect(await world.guest.run('ls /var/lib/robot-rest/newer')).toContain('robot.sqlite');
  });

  it('is never restarted by systemd or ended by the memory limit', () => world.expectNeverRestarted());
});
