import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RobotHome } from '../support/robot-home.ts';

const TABLES = '/api/v2/database/tables/';

describe('A robot that is restored on a fresh machine', () => {
  const old = new RobotHome('robot-1');
  const fresh = new RobotHome('robot-1', { SERVICE_ROBOT_NAME: 'Pip', SERVICE_SKILLS_DIR: 'skills-here' });
  let archive: Buffer;
  beforeAll(async () => {
    await old.start();
    writeFileSync(join(old.dataDir, 'rosbridge.yaml'), 'commands: {}\n');
    mkdirSync(join(old.dataDir, 'skills', 'lib'));
    writeFileSync(join(old.dataDir, 'skills', 'lib', 'tools.py'), 'x = 1\n');
    await old.upload('greet', '@skill(access_level="USER")\nasync def greet_all(robot):\n    return 1\n');
    await old.add('robots_table', { name: 'Ö "quoted"\n,' });
    await old.add('known_locations_table', { id: 'kitchen' });
    archive = (await old.pack()).bytes;
    await fresh.start();
    await fresh.add('robots_table', { name: 'of the fresh machine' });
    symlinkSync('/etc/hostname', join(fresh.skillsDir, 'linked.txt'));
  });
  afterAll(() => Promise.all([old.stop(), fresh.stop()]));

  it('says in a dry run what would change, and changes nothing', async () => {
    const before = fresh.state();
    const { status, json } = await fresh.restore(archive, '?dry_run=true');
    expect([status, json]).toEqual([
      200,
      {
        restored: ['database', 'skills', 'language_model', 'description', 'mapping'],
        backup: null,
        restart_needed: true,
        settings: expect.arrayContaining([
          { name: 'SERVICE_ROBOT_NAME', here: 'Pip', archive: 'robot-1' },
          { name: 'SERVICE_DATA_DIR', here: fresh.dataDir, archive: old.dataDir },
        ]),
      },
    ]);
    expect(fresh.state()).toEqual(before);
    expect((await fresh.service.as('ENCHANTER', '/api/v2/backup/')).json).toEqual({ backups: [] });
  });

  it('has the same tables and files, byte by byte, and behaves the same', async () => {
    const keys = readFileSync(join(fresh.home, '.robot-rest', 'jwt-signing-key.pem'), 'utf8');
    const { status, json } = await fresh.restore(archive);
    expect([status, json.restored]).toEqual([200, ['database', 'skills', 'language_model', 'description', 'mapping']]);
    expect(fresh.state()).toEqual(old.state());
    expect(readlinkSync(join(fresh.skillsDir, 'linked.txt'))).toBe('/etc/hostname');
    const skills = async (robot: RobotHome) =>
      (await robot.service.as('ADMIN', '/api/v2/skill/list/')).json.skills.map(
        ({ modified_at: _when, ...skill }: Record<string, unknown>) => skill,
      );
    const own = (await skills(fresh)).filter(({ name }: { name: string }) => name !== 'linked.txt');
    expect(own).toEqual(await skills(old));
    for (const path of [TABLES, '/api/v2/llm_config/', '/api/v2/get/get_skills', '/api/v2/get/list_all_location_ids']) {
      const [here, there] = await Promise.all([fresh, old].map((robot) => robot.service.as('ENCHANTER', path)));
      expect([path, here?.json]).toEqual([path, there?.json]);
    }
    expect(readFileSync(join(fresh.home, '.robot-rest', 'jwt-signing-key.pem'), 'utf8')).toBe(keys);
    expect(fresh.leftovers()).toEqual([]);
  });

  it('goes on giving ids that were never given, and takes writes at once', async () => {
    const [here, there] = await Promise.all([fresh, old].map((robot) => robot.add('robots_table', { name: 'next' })));
    expect(here?.id).toBeGreaterThanOrEqual(there?.id);
    await fresh.upload('later', 'x = 2\n');
    expect(readdirSync(fresh.skillsDir)).toContain('later.py');
  });

  it('keeps what was there before as an archive, the newest two, from which it can go back', async () => {
    const before = fresh.state();
    const names: string[] = [];
    for (let round = 0; round < 2; round++) names.unshift((await fresh.restore(archive)).json.backup);
    const { backups } = (await fresh.service.as('ENCHANTER', '/api/v2/backup/')).json;
    expect(backups).toEqual(names.map((name) => ({ name, size: expect.any(Number), created_at: expect.any(String) })));
    const back = await fresh.restoreKept(names.at(-1) ?? '');
    expect([back.status, back.json.restored]).toEqual([200, expect.arrayContaining(['database', 'skills'])]);
    expect(fresh.state()).toEqual(before);
    expect((await fresh.restoreKept('robot-000099-20260401T120000Z.tar.gz')).json).toMatchObject({ status: 404 });
    expect((await fresh.service.as('ENCHANTER', '/api/v2/backup/')).json.backups).toHaveLength(2);
  });
});
