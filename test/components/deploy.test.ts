import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { loadConfig, SETTINGS } from '../../functions/shared/config.ts';
import { connectionLimits } from '../../local-host/connection-limits.ts';
import { describeWith } from '../support/components.ts';
import { freshEnvironment, runToEnd } from '../support/process.ts';
import { ROOT, sourcesOf } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const DEPLOY = join(ROOT, 'deploy');
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');

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

  it('puts everything where it belongs, and the second time changes nothing', () => {
    const { status, stdout } = install();
    expect({ status, stdout }).toEqual({ status: 0, stdout: `Installed: ${release}\n` });
    for (const path of [
      'opt/robot-rest/current/main.js',
      'etc/systemd/system/robot-rest.service',
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
  }, 60_000);

  it('keeps the settings of the operator, which nobody else may read', () => {
    install();
    const settings = installed('etc/robot-rest/robot-rest.env');
    expect(statSync(settings).mode & 0o777).toBe(0o640);
    writeFileSync(settings, 'SERVICE_PORT=8001\n');
    install(version('2.0.0-b'));
    expect(readFileSync(settings, 'utf8')).toBe('SERVICE_PORT=8001\n');
  }, 60_000);

  it('upgrades, keeps the version before and no older one, and goes back with all that belongs to it', () => {
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
  }, 60_000);

  it('leaves everything as it was when a build does not run on this machine', () => {
    install();
    const before = tree();
    const broken = version('2.0.0-b');
    rmSync(join(broken, 'node_modules', 'better-sqlite3', 'build'), { recursive: true });
    const { status, stderr } = install(broken);
    expect(status).toBe(1);
    expect(stderr).toContain('This build does not run here');
    expect(tree()).toEqual(before);
  }, 60_000);

  it('mends what a killed installation left behind', () => {
    cpSync(join(build, 'deploy'), installed('opt/robot-rest/releases/.incoming/deploy'), { recursive: true });
    expect(install().status).toBe(0);
    expect(existsSync(installed('opt/robot-rest/releases/.incoming'))).toBe(false);
  }, 60_000);

  it('says so when there is nothing to go back to, and when it does not know an option', () => {
    expect(install(build, '--rollback')).toMatchObject({ status: 1, stderr: 'There is no version before this one.\n' });
    expect(install(build, '--fast')).toMatchObject({ status: 1, stderr: expect.stringContaining('no option --fast') });
  });

  it('takes everything away again but data and settings, and with --purge these as well', () => {
    install();
    expect(install(build, '--uninstall').status).toBe(0);
    expect(Object.keys(tree())).toEqual(['etc/robot-rest/robot-rest.env']);
    expect(install(build, '--uninstall', '--purge').status).toBe(0);
    expect(Object.keys(tree())).toEqual([]);
  }, 60_000);
});

describeWith('systemd', '/usr/bin/systemd-analyze', 'systemd', () => {
  const run = promisify(execFile);

  it('finds no fault in the unit', async () => {
    const { stderr } = await run('systemd-analyze', ['verify', join(DEPLOY, 'robot-rest.service')]);
    expect(stderr).toBe('');
  });

  it('finds the unit well shut in', async () => {
    const words = ['security', '--offline=yes', '--threshold=20', '--no-pager', join(DEPLOY, 'robot-rest.service')];
    await expect(run('systemd-analyze', words)).resolves.toBeDefined();
  });

  it('makes the user and its groups', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'etc'));
    await run('systemd-sysusers', [`--root=${root}`, join(DEPLOY, 'sysusers.conf')]);
    const [users, groups] = ['passwd', 'group'].map((file) => readFileSync(join(root, 'etc', file), 'utf8'));
    expect(users).toMatch(/^robot-rest:x:\d+:\d+:Robot REST service:\/var\/lib\/robot-rest:\S*nologin$/m);
    for (const group of ['robot-rest-clients', 'robot-skills', 'systemd-journal', 'audio']) {
      expect(groups).toMatch(new RegExp(`^${group}:x:\\d+:robot-rest$`, 'm'));
    }
  });

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  itAsRoot('lets the group of the readers have the folder of the skills and nothing else', async () => {
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

  it('keeps a data folder that others may pass through closed otherwise', () => {
    const unit = read('robot-rest.service');
    expect(unit).toMatch(/^StateDirectoryMode=0711$/m);
    expect(unit).toMatch(/^UMask=0077$/m);
  });

  it('makes the link to the socket and the folder of the sound server, again and again', async () => {
    const root = temporaryFolder();
    const rules = join(root, 'tmpfiles.conf');
    // Only root may give folders away; everything else is tried as it stands.
    const anybody = read('tmpfiles.conf').replace(
      /(\d{4}) (root|robot-rest) (audio|robot-rest|robot-skills)/g,
      '$1 - -',
    );
    writeFileSync(rules, anybody);
    for (const _time of [1, 2]) await run('systemd-tmpfiles', [`--root=${root}`, '--create', rules]);
    expect(readlinkSync(join(root, 'tmp/rest_api.sock'))).toBe('/run/robot-rest/rest_api.sock');
    expect(statSync(join(root, 'run/robot-audio')).mode & 0o7777).toBe(0o2770);
  });
});

describe('The files of an installation', () => {
  it('bound what the service may take of the machine, well above what it needs', () => {
    const unit = Object.fromEntries(
      read('robot-rest.service')
        .split('\n')
        .filter((line) => /^[A-Z][A-Za-z]+=/.test(line))
        .map((line) => line.split('=') as [string, string]), // as: the filter has seen the sign
    );
    expect(unit).toMatchObject({ ProcSubset: 'pid', TasksMax: '256', MemoryHigh: '896M', MemoryMax: '1G' });
    const { tcp, tcpEach, socket } = connectionLimits(Number(unit.LimitNOFILE));
    expect({ tcp, tcpEach, socket }).toEqual({ tcp: 4096, tcpEach: 512, socket: 256 });
  });

  it('leave the service those files of /proc that it reads', () => {
    const names = ['functions', 'local-host']
      .flatMap(sourcesOf)
      .flatMap(({ text }) => [...text.matchAll(/['`](\/proc\b[^'`]*)['`]/g)].map(([, name]) => name));
    expect(names).toContain('/proc/self/limits');
    expect(names.filter((name) => !/^\/proc($|\/self\/|\/\$\{pid\}\/)/.test(name ?? ''))).toEqual([]);
  });

  it('name settings that exist, with values that fit', () => {
    const lines = `${read('service.env')}\n${read('robot-rest.env').replace(/^#(?=[A-Z_]+=)/gm, '')}`
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const settings = Object.fromEntries(lines.map((line) => [line.split('=')[0] ?? '', line.replace(/^[^=]*=/, '')]));
    const { config, warnings } = loadConfig(settings);
    expect(warnings).toEqual([]);
    expect(config.SERVICE_MODE).toBe('robot');
    expect(Object.keys(settings).filter((name) => name !== 'HOME' && !(name in SETTINGS.shape))).toEqual([]);
  });

  it('let the service do exactly four things with the network, in both forms of polkit', () => {
    const actions = ['settings.modify.system', 'network-control', 'wifi.scan', 'checkpoint-rollback'].map(
      (action) => `org.freedesktop.NetworkManager.${action}`,
    );
    const [allowed, ...others] = ['robot-rest', 'pi', 'root'].map((user) =>
      [...actions, 'org.freedesktop.NetworkManager.settings.modify.hostname', 'org.freedesktop.login1.reboot'].filter(
        (action) => resultOf(read('polkit/50-robot-rest.rules'), action, user) === 'yes',
      ),
    );
    expect(allowed).toEqual(actions);
    expect(others).toEqual([[], []]);
    expect(/^Action=(.*)$/m.exec(read('polkit/robot-rest.pkla'))?.[1]?.split(';')).toEqual(actions);
  });

  it('make the video server trust the service and keep its API to the robot', () => {
    expect(parse(read('mediamtx.yml'))).toMatchObject({
      authMethod: 'jwt',
      authJWTJWKS: 'http://127.0.0.1:8000/.well-known/jwks.json',
      authJWTClaimKey: 'mediamtx_permissions',
      authJWTExclude: [{ action: 'api' }],
      authJWTInHTTPQuery: true,
      apiAddress: '127.0.0.1:9997',
      rtspAddress: '127.0.0.1:8554',
      rtspsAddress: ':8555',
    });
  });
});

/** What polkit would get from a rules file when this user wants to do this. */
function resultOf(rules: string, id: string, user: string): unknown {
  type Rule = (action: { id: string }, subject: { user: string }) => unknown;
  const results: unknown[] = [];
  const polkit = {
    Result: { YES: 'yes', NOT_HANDLED: undefined },
    addRule: (rule: Rule) => results.push(rule({ id }, { user })),
  };
  runInNewContext(rules, { polkit });
  return results[0];
}
