import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { DEPLOY, read } from '../support/deploy.ts';
import { temporaryFolder } from '../support/world.ts';

describeWith('systemd', '/usr/bin/systemd-analyze', 'systemd', () => {
  const run = promisify(execFile);

  const UNITS = ['robot-rest.service', 'robot-rest-guard.service'];

  const SKILL_UNITS = ['robot-skill@.service', 'robot-skill-tmp@.service'];

  it.each([...UNITS, ...SKILL_UNITS])('accepts %s', async (unit) => {
    const { stderr } = await run('systemd-analyze', ['verify', join(DEPLOY, unit)]);
    expect(stderr).toBe('');
  });

  it.each([...UNITS, 'robot-skill@.service'])('rates %s as well confined', async (unit) => {
    const words = ['security', '--offline=yes', '--threshold=20', '--no-pager', join(DEPLOY, unit)];
    await expect(run('systemd-analyze', words)).resolves.toBeDefined();
  });

  it('ties the guard to nothing of the service', () => {
    const lines = read('robot-rest-guard.service').split('\n');
    expect(lines.filter((line) => /^[A-Z].*=.*robot-rest\.service/.test(line))).toEqual([]);
    expect(lines).toEqual(expect.arrayContaining(['Restart=always', 'StartLimitIntervalSec=0', 'WatchdogSec=10']));
  });

  it('ties the unit of a run to the service and to its own /tmp', () => {
    const lines = read('robot-skill@.service').split('\n');
    for (const unit of ['robot-rest.service', 'robot-skill-tmp@%i.service'])
      expect(lines).toEqual(expect.arrayContaining([`BindsTo=${unit}`, `After=${unit}`]));
  });

  it('creates the user and its groups', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'etc'));
    await run('systemd-sysusers', [`--root=${root}`, join(DEPLOY, 'sysusers.conf')]);
    const [users, groups] = ['passwd', 'group'].map((file) => readFileSync(join(root, 'etc', file), 'utf8'));
    expect(users).toMatch(/^robot-rest:x:\d+:\d+:Robot REST service:\/var\/lib\/robot-rest:\S*nologin$/m);
    for (const group of ['robot-rest-clients', 'robot-skills', 'robot-runs', 'systemd-journal', 'audio']) {
      expect(groups).toMatch(new RegExp(`^${group}:x:\\d+:robot-rest$`, 'm'));
    }
  });

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  itAsRoot("gives the readers' group access to the skills folder only", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'etc'));
    const data = join(root, 'var/lib/robot-rest');
    mkdirSync(join(data, 'skills'), { recursive: true, mode: 0o700 });
    writeFileSync(join(data, 'api-keys.json'), '', { mode: 0o600 });
    await run('systemd-sysusers', [`--root=${root}`, join(DEPLOY, 'sysusers.conf')]);
    await run('systemd-tmpfiles', [`--root=${root}`, '--create', '--prefix=/var/lib', join(DEPLOY, 'tmpfiles.conf')]);
    const idOf = (file: string, name: string) =>
      Number(new RegExp(`^${name}:x:(\\d+):`, 'm').exec(readFileSync(join(root, 'etc', file), 'utf8'))?.[1]);
    const [uid, gid] = [idOf('passwd', 'robot-rest'), idOf('group', 'robot-skills')];
    const seen = (path: string) => {
      const stats = statSync(join(data, path));
      return [(stats.mode & 0o7777).toString(8), stats.uid, stats.gid];
    };
    expect(seen('.')).toEqual(['711', uid, idOf('group', 'robot-rest')]);
    expect(seen('skills')).toEqual(['2750', uid, gid]);
    expect(seen('api-keys.json')[0]).toBe('600');
  });

  it('allows others only to traverse the data folder', () => {
    const unit = read('robot-rest.service');
    expect(unit).toMatch(/^StateDirectoryMode=0711$/m);
    expect(unit).toMatch(/^UMask=0077$/m);
  });

  it("creates the socket link and the sound server's folder repeatedly", async () => {
    const root = temporaryFolder();
    const rules = join(root, 'tmpfiles.conf');
    // Only root may give folders away; everything else is tried as it stands.
    const anybody = read('tmpfiles.conf').replace(
      /(\d{4}) (root|robot-rest) (audio|root|robot-rest|robot-skills|robot-runs)/g,
      '$1 - -',
    );
    writeFileSync(rules, anybody);
    for (const _time of [1, 2]) await run('systemd-tmpfiles', [`--root=${root}`, '--create', rules]);
    expect(readlinkSync(join(root, 'tmp/rest_api.sock'))).toBe('/run/robot-rest/rest_api.sock');
    expect(statSync(join(root, 'run/robot-audio')).mode & 0o7777).toBe(0o2770);
  });
});
