import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { freshEnvironment, runToEnd } from '../support/process.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

describeWith('flock', '/usr/bin/flock', 'The installer, below a folder of its own', () => {
  const build = join(temporaryFolder(), 'build');
  let root: string;
  let release: string;
  beforeAll(async () => {
    await runToEnd(['api-key', 'list'], freshEnvironment()); // builds when there is no present build
    cpSync(realpathSync(join(ROOT, 'dist', 'current')), build, { recursive: true });
    release = readFileSync(join(build, 'build-id'), 'utf8').trim();
  }, 120_000);
  beforeEach(() => {
    root = temporaryFolder();
  });

  const install = (from = build, ...words: string[]) =>
    spawnSync('bash', [join(from, 'deploy', 'install.sh'), ...words], {
      env: { PATH: process.env.PATH, DESTDIR: root },
      encoding: 'utf8',
    });
  const installed = (path: string) => join(root, path);
  const link = (name: string) => readlinkSync(installed(`opt/robot-rest/${name}`));

  /** Another version: the same build under another name. */
  function version(id: string): string {
    const folder = join(temporaryFolder(), id);
    cpSync(build, folder, { recursive: true });
    writeFileSync(join(folder, 'build-id'), `${id}\n`);
    writeFileSync(join(folder, 'deploy', 'tmpfiles.conf'), `# of ${id}\n`);
    return folder;
  }

  /** Every file with its mode and what it holds. */
  function tree(): Record<string, string> {
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => {
          const path = join(entry.parentPath, entry.name);
          const text = entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, 'base64');
          return [relative(root, path), `${(lstatSync(path).mode & 0o777).toString(8)} ${text}`] as const;
        }),
    );
  }

  it('says what it can do and which build it is, without doing anything', () => {
    const [help, version] = [install(build, '--help'), install(build, '--version')];
    expect([help.status, help.stderr, version.status, version.stdout]).toEqual([0, '', 0, `${release}\n`]);
    expect(help.stdout).toMatch(/^Installs the build [\s\S]*--rollback[\s\S]*--uninstall/);
    expect(readdirSync(root)).toEqual([]);
  });

  it('installs every file, and changes nothing the second time', () => {
    const { status, stdout } = install();
    expect({ status, stdout }).toEqual({ status: 0, stdout: `Installed: ${release}\n` });
    for (const path of [
      'opt/robot-rest/current/main.js',
      'etc/systemd/system/robot-rest.service',
      'etc/systemd/system/robot-rest-guard.service',
      'etc/systemd/system/robot-skill@.service',
      'etc/systemd/system/robot-skill-tmp@.service',
      'etc/sysusers.d/robot-rest.conf',
      'etc/tmpfiles.d/robot-rest.conf',
      'etc/polkit-1/rules.d/50-robot-rest.rules',
      'usr/local/sbin/robot-rest-admin',
    ]) {
      expect([path, existsSync(installed(path))]).toEqual([path, true]);
    }
    const first = tree();
    expect(install().status).toBe(0);
    expect(tree()).toEqual(first);
  });

  it("keeps the operator's settings private and unchanged", () => {
    install();
    const settings = installed('etc/robot-rest/robot-rest.env');
    expect(statSync(settings).mode & 0o777).toBe(0o640);
    writeFileSync(settings, 'SERVICE_PORT=8001\n');
    install(version('2.0.0-b'));
    expect(readFileSync(settings, 'utf8')).toBe('SERVICE_PORT=8001\n');
  });

  it('names the units of SERVICE_RESTARTABLE_UNITS on this computer to polkit, at the next run', () => {
    install();
    const listed = () =>
      /^var robotRestRestartable = (.*);$/m.exec(
        readFileSync(installed('etc/polkit-1/rules.d/50-robot-rest.rules'), 'utf8'),
      )?.[1];
    expect(listed()).toBe('[]');
    const settings = installed('etc/robot-rest/robot-rest.env');
    for (const [units, expected] of [
      ['"head=nav.service, robot-*.service;base=drive.service"', '["nav.service","robot-*.service"]'],
      ['base=drive.service', '[]'],
      ['head=x"];evil();//.service', '[]'],
    ]) {
      writeFileSync(settings, `SERVICE_RESTARTABLE_UNITS=${units}\n`);
      expect([install().status, listed()]).toEqual([0, expected]);
    }
  });

  it('gives the units of runs the limits and the interpreter of the settings, at the next run', () => {
    install();
    const of = (unit: string) => readFileSync(installed(`etc/systemd/system/${unit}@.service.d/settings.conf`), 'utf8');
    expect(of('robot-skill')).toMatch(/^MemoryMax=512M\nTasksMax=64\nExecStart=\nExecStart=\/usr\/\S+ -I -B /m);
    expect(of('robot-skill-tmp')).toContain('SIZE=64M');
    const settings = [
      'SERVICE_SKILL_MEMORY_MB="256"',
      'SERVICE_SKILL_TASKS=2; reboot',
      'SERVICE_SKILL_DISK_MB=7',
      'SERVICE_SKILL_PYTHON=/opt/maker/bin/python3',
    ];
    writeFileSync(installed('etc/robot-rest/robot-rest.env'), settings.join('\n'));
    expect(install().status).toBe(0);
    expect(of('robot-skill')).toMatch(/^MemoryMax=256M\nTasksMax=64$/m);
    expect(of('robot-skill-tmp')).toContain('SIZE=7M');
  });

  it('removes the units of runs with a rollback to a version without them', () => {
    const older = version('1.0.0-a');
    for (const unit of ['robot-skill@.service', 'robot-skill-tmp@.service']) rmSync(join(older, 'deploy', unit));
    install(older);
    install();
    expect(existsSync(installed('etc/systemd/system/robot-skill@.service'))).toBe(true);
    expect(install(build, '--rollback').status).toBe(0);
    const left = readdirSync(installed('etc/systemd/system')).filter((name) => name.startsWith('robot-skill'));
    expect(left).toEqual([]);
  });

  it('upgrades, keeps one previous version, and rolls back to it completely', () => {
    const [second, third] = [version('2.0.0-b'), version('3.0.0-c')];
    install();
    install(second);
    install(third);
    expect([link('current'), link('previous')]).toEqual(['releases/3.0.0-c', 'releases/2.0.0-b']);
    expect(readdirSync(installed('opt/robot-rest/releases')).sort()).toEqual(['2.0.0-b', '3.0.0-c']);
    const { status, stdout } = install(third, '--rollback');
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Now current: 2.0.0-b\n' });
    expect([link('current'), link('previous')]).toEqual(['releases/2.0.0-b', 'releases/3.0.0-c']);
    expect(readFileSync(installed('etc/tmpfiles.d/robot-rest.conf'), 'utf8')).toBe('# of 2.0.0-b\n');
  });

  it('removes the unit of the guard when it rolls back to a version without one', () => {
    const guard = 'etc/systemd/system/robot-rest-guard.service';
    const without = version('0.9.0-a');
    rmSync(join(without, 'deploy', 'robot-rest-guard.service'));
    install(without);
    expect(existsSync(installed(guard))).toBe(false);
    install();
    expect(existsSync(installed(guard))).toBe(true);
    expect(install(build, '--rollback').status).toBe(0);
    expect(existsSync(installed(guard))).toBe(false);
  }, 60_000);

  it('changes nothing when a build does not run on this machine', () => {
    install();
    const before = tree();
    const broken = version('2.0.0-b');
    rmSync(join(broken, 'node_modules', 'better-sqlite3', 'build'), { recursive: true });
    const { status, stderr } = install(broken);
    expect(status).toBe(1);
    expect(stderr).toContain('This build does not run here');
    expect(tree()).toEqual(before);
  });

  it('cleans up after a killed installation', () => {
    cpSync(join(build, 'deploy'), installed('opt/robot-rest/releases/.incoming/deploy'), { recursive: true });
    expect(install().status).toBe(0);
    expect(existsSync(installed('opt/robot-rest/releases/.incoming'))).toBe(false);
  });

  it('fails without a previous version and for an unknown option', () => {
    expect(install(build, '--rollback')).toMatchObject({ status: 1, stderr: 'There is no previous version.\n' });
    expect(install(build, '--fast')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Unknown option --fast'),
    });
  });

  it('uninstalls everything but data and settings, and with --purge those too', () => {
    install();
    expect(install(build, '--uninstall').status).toBe(0);
    expect(Object.keys(tree())).toEqual(['etc/robot-rest/robot-rest.env']);
    expect(install(build, '--uninstall', '--purge').status).toBe(0);
    expect(Object.keys(tree())).toEqual([]);
  });
});
