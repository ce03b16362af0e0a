import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { loadConfig } from '../../functions/shared/config.ts';
import { SETTINGS } from '../../functions/shared/settings.ts';
import { connectionLimits } from '../../local-host/http/connection-limits.ts';
import { read } from '../support/deploy.ts';
import { sourcesOf } from '../support/sources.ts';

describe('The files of an installation', () => {
  it('limit the resources of the service well above its needs', () => {
    const unit = Object.fromEntries(
      read('robot-rest.service')
        .split('\n')
        .filter((line) => /^[A-Z][A-Za-z]+=/.test(line))
        .map((line) => line.split('=') as [string, string]), // as: the filter has seen the sign
    );
    expect(unit).toMatchObject({ ProcSubset: 'pid', TasksMax: '256', MemoryHigh: '896M', MemoryMax: '1G' });
    const { tcp, tcpPerBlock, socket } = connectionLimits(Number(unit.LimitNOFILE));
    expect({ tcp, tcpPerBlock, socket }).toEqual({ tcp: 4096, tcpPerBlock: 512, socket: 256 });
  });

  it('leave the service the files of /proc that it reads', () => {
    const names = ['functions', 'local-host']
      .flatMap(sourcesOf)
      // The unit denies the namespaces that bubblewrap needs.
      .filter(({ path }) => !path.endsWith('/bubblewrap-walls.ts') && !path.endsWith('/sandbox/open.ts'))
      .flatMap(({ text }) => [...text.matchAll(/['`](\/proc\b[^'`]*)['`]/g)].map(([, name]) => name));
    expect(names).toContain('/proc/self/limits');
    expect(names.filter((name) => !/^\/proc($|\/self\/|\/\$\{pid\}\/)/.test(name ?? ''))).toEqual([]);
  });

  it('name existing settings with valid values', () => {
    const lines = `${read('service.env')}\n${read('robot-rest.env').replace(/^#(?=[A-Z_]+=)/gm, '')}`
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const settings = Object.fromEntries(lines.map((line) => [line.split('=')[0] ?? '', line.replace(/^[^=]*=/, '')]));
    const { config, warnings } = loadConfig(settings);
    expect(warnings).toEqual([]);
    expect(config.SERVICE_MODE).toBe('robot');
    expect(Object.keys(settings).filter((name) => name !== 'HOME' && !(name in SETTINGS.shape))).toEqual([]);
  });

  it('allow the service exactly four network actions, in both forms of polkit, and no restart by default', () => {
    const actions = ['settings.modify.system', 'network-control', 'wifi.scan', 'checkpoint-rollback'].map(
      (action) => `org.freedesktop.NetworkManager.${action}`,
    );
    const [allowed, ...others] = ['robot-rest', 'pi', 'root'].map((user) =>
      [
        ...actions,
        'org.freedesktop.NetworkManager.settings.modify.hostname',
        'org.freedesktop.login1.reboot',
        MANAGE_UNITS,
      ].filter((action) => resultOf(read('polkit/50-robot-rest.rules'), action, user) === 'yes'),
    );
    expect(allowed).toEqual(actions);
    expect(others).toEqual([[], []]);
    expect(/^Action=(.*)$/m.exec(read('polkit/robot-rest.pkla'))?.[1]?.split(';')).toEqual(actions);
  });

  it('let the service restart the units that install.sh names to polkit, and do nothing else with them', () => {
    const rules = read('polkit/50-robot-rest.rules').replace(
      'robotRestRestartable = []',
      'robotRestRestartable = ["nav.service","robot-*.service"]',
    );
    const result = (unit: string, verb = 'restart', user = 'robot-rest') =>
      resultOf(rules, MANAGE_UNITS, user, { unit, verb });
    for (const unit of ['nav.service', 'robot-.service', 'robot-a.b.service']) expect(result(unit)).toBe('yes');
    for (const unit of ['navXservice', 'xnav.service', 'nav.service.service', 'robot-x.socket', 'ssh.service', '']) {
      expect([unit, result(unit)]).toEqual([unit, undefined]);
    }
    for (const verb of ['start', 'stop', 'kill', '']) expect(result('nav.service', verb)).toBeUndefined();
    expect(result('nav.service', 'restart', 'pi')).toBeUndefined();
  });

  it('let the service start and end runs of skills, and nothing else of them', () => {
    const rules = read('polkit/50-robot-rest.rules');
    const id = '5811a895-f5bd-4ce3-8d06-636667541e48';
    const result = (unit: string, verb: string, user = 'robot-rest') =>
      resultOf(rules, MANAGE_UNITS, user, { unit, verb });
    const skill = `robot-skill@${id}.service`;
    for (const verb of ['start', 'stop', 'kill', 'ref']) expect([verb, result(skill, verb)]).toEqual([verb, 'yes']);
    for (const verb of ['restart', 'set-property', 'reload', '']) expect(result(skill, verb)).toBeUndefined();
    for (const unit of [
      `robot-skill-tmp@${id}.service`,
      'robot-skill@x.service',
      `${skill}.service`,
      `x${skill}`,
      '',
    ]) {
      expect([unit, result(unit, 'start')]).toEqual([unit, undefined]);
    }
    expect(result(skill, 'start', 'pi')).toBeUndefined();
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

const MANAGE_UNITS = 'org.freedesktop.systemd1.manage-units';

/** What polkit would get from a rules file when this user wants to do this. */
function resultOf(
  rules: string,
  id: string,
  user: string,
  details: Readonly<Record<string, string>> = { verb: 'restart', unit: 'nav.service' },
): unknown {
  type Action = { readonly id: string; lookup(name: string): string | undefined };
  type Rule = (action: Action, subject: { user: string }) => unknown;
  const results: unknown[] = [];
  const polkit = {
    Result: { YES: 'yes', NOT_HANDLED: undefined },
    addRule: (rule: Rule) => results.push(rule({ id, lookup: (name) => details[name] }, { user })),
  };
  runInNewContext(rules, { polkit });
  return results[0];
}
