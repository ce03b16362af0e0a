import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from '@jest/globals';
import { SCHEMA_VERSION } from '../../functions/database/adapters/sqlite/migrate.ts';
import { describeWith } from '../support/components.ts';
import { databaseFile, homeOfFirstRelease, startAt } from '../support/database-file.ts';
import { temporaryFolder } from '../support/world.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));

describeWith('flock', '/usr/bin/flock', 'install.sh --rollback', () => {
  let root: string;
  let data: string;

  /** A machine with two versions installed, and data that have seen the newer one. */
  beforeEach(async () => {
    root = temporaryFolder();
    data = join(root, 'var/lib/robot-rest');
    for (const id of ['1.0.0-old', '2.0.0-new']) cpSync(DEPLOY, release(id), { recursive: true });
    rmSync(join(release('1.0.0-old'), 'database-schema'));
    for (const [link, id] of [['previous', '1.0.0-old'] as const, ['current', '2.0.0-new'] as const])
      symlinkSync(`releases/${id}`, join(root, 'opt/robot-rest', link));
    const home = homeOfFirstRelease(1);
    await startAt(home);
    mkdirSync(dirname(data), { recursive: true });
    cpSync(dirname(databaseFile(home)), data, { recursive: true });
  });

  const release = (id: string) => join(root, 'opt/robot-rest/releases', id, 'deploy');
  const current = () => readlinkSync(join(root, 'opt/robot-rest/current'));
  const rollBack = (...words: string[]) =>
    spawnSync(join(DEPLOY, 'install.sh'), ['--rollback', ...words], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DESTDIR: root },
    });

  it('knows the schema of the build it belongs to', () => {
    expect(readFileSync(join(DEPLOY, 'database-schema'), 'utf8')).toBe(`${SCHEMA_VERSION}\n`);
  });

  it('says which snapshot an older version needs before it changes anything', () => {
    const [snapshot = ''] = readdirSync(join(data, 'backups'));
    cpSync(join(data, 'robot.sqlite'), join(data, 'backups/snapshot-000002-20260401T120000Z.sqlite'));
    const { status, stderr } = rollBack();
    expect(status).toBe(1);
    expect(stderr).toContain('newer schema than 1.0.0-old supports (1)');
    expect(stderr).toContain(`  ${snapshot} (schema 1)\n  snapshot-000002-20260401T120000Z.sqlite (schema 3)\n`);
    expect(stderr).toContain(`'${data}/backups/${snapshot}' '${data}/robot.sqlite'`);
    expect(stderr).toContain('Nothing was changed');
    expect(current()).toBe('releases/2.0.0-new');
  });

  it('rolls back with --anyway after saying so', () => {
    const { status, stderr } = rollBack('--anyway');
    expect({ status, told: stderr.includes('newer schema') }).toEqual({ status: 0, told: true });
    expect(current()).toBe('releases/1.0.0-old');
  });

  it('looks in the configured folders, and says if no snapshot is usable', () => {
    mkdirSync(join(root, 'etc/robot-rest'), { recursive: true });
    const settings = 'SERVICE_DATA_DIR=/srv/robot\nSERVICE_DATABASE_URL="sqlite:////srv/db/r.sqlite"\n';
    writeFileSync(join(root, 'etc/robot-rest/robot-rest.env'), settings);
    expect(rollBack().stderr).toContain('None of them has a schema that it supports.');
    cpSync(data, join(root, 'srv/robot'), { recursive: true });
    expect(rollBack().stderr).toMatch(/'\S+\/srv\/robot\/backups\/snapshot-000001-\S+' '\S+\/srv\/db\/r\.sqlite'/);
  });

  it('rolls back and forth silently between versions with the same schema', () => {
    cpSync(join(DEPLOY, 'database-schema'), join(release('1.0.0-old'), 'database-schema'));
    expect(rollBack()).toMatchObject({ status: 0, stdout: 'Now current: 1.0.0-old\n', stderr: '' });
    rmSync(join(release('1.0.0-old'), 'database-schema'));
    expect(rollBack()).toMatchObject({ status: 0, stdout: 'Now current: 2.0.0-new\n', stderr: '' });
  });
});
