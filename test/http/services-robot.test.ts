import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { processesWith, until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const LIST = '/api/v2/service/get_services_list';
const LOGS = '/api/v2/service/head/nav.service';

/** As systemd 252 prints them. */
const SYSTEMCTL = `case "$1" in
list-unit-files) echo '[{"unit_file":"nav.service","state":"enabled","preset":"enabled"},{"unit_file":"secret.service","state":"static","preset":null}]';;
list-units) echo '[{"unit":"nav.service","load":"loaded","active":"active","sub":"running","description":"Navigation"}]';;
esac`;

describe('Services of a robot', () => {
  let service: TestService | undefined;

  /** A robot whose only programs are these shell scripts. */
  async function robot(scripts: Record<string, string>, settings: Record<string, string> = {}): Promise<TestService> {
    const bin = join(temporaryFolder(), 'bin');
    mkdirSync(bin);
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    service = await startTestService({
      settings: {
        PATH: bin,
        SERVICE_MODE: 'robot',
        SERVICE_HOST: '127.0.0.1',
        SERVICE_ALLOWED_UNITS: 'head=nav.service,lidar-*.service;base=*.service',
        ...settings,
      },
    });
    return service;
  }
  afterEach(() => service?.stop());

  it('are listed if allowed; an unconfigured base says which settings are missing', async () => {
    const { status, json } = await (await robot({ systemctl: SYSTEMCTL })).as('ADMIN', LIST);
    expect(status).toBe(200);
    expect(json.head).toEqual([
      {
        name: 'nav.service',
        description: 'Navigation',
        load_state: 'loaded',
        active_state: 'active',
        sub_state: 'running',
        enabled: true,
      },
    ]);
    expect(json.base).toEqual({ available: false, reason: expect.stringContaining('SERVICE_BASE_HOST_KEY') });
  });

  it('are asked of systemd by their patterns, as it writes them', async () => {
    const asked = join(temporaryFolder(), 'asked');
    const systemctl = `printf '%s\\n' "$*" >> ${asked}; ${SYSTEMCTL}`;
    const settings = { SERVICE_ALLOWED_UNITS: 'head=nav.service,lidar-*.service,dev-\\x2d.service' };
    await (await robot({ systemctl }, settings)).as('ADMIN', LIST);
    const lines = readFileSync(asked, 'utf8').trimEnd().split('\n');
    const patterns = ' -- nav.service lidar-*.service dev-\\\\x2d.service';
    expect(lines.map((line) => line.endsWith(patterns))).toEqual([true, true]);
  });

  it('are none where systemd knows none of them', async () => {
    const systemctl = 'echo "[]"; test "$1" != list-unit-files';
    const { json } = await (await robot({ systemctl })).as('ADMIN', LIST);
    expect(json.head).toEqual([]);
  });

  it.each([
    ['no systemctl', {}, '"systemctl" cannot be run here'],
    ['a systemctl that finds no systemd', { systemctl: 'echo "Host is down" >&2; exit 1' }, 'Host is down'],
    ['a systemctl that says too much', { systemctl: 'while :; do echo "$0$0$0$0$0$0$0$0"; done' }, 'Try again'],
  ])(
    'say why they cannot be listed: %s',
    async (_what, scripts, words) => {
      const { status, json } = await (await robot(scripts)).as('ADMIN', LIST);
      expect([status, json.head]).toEqual([200, { available: false, reason: expect.stringContaining(words) }]);
    },
    20_000,
  );

  it.each([
    ['no journalctl', {}, '"journalctl" cannot be run here'],
    ['a journal that cannot be opened', { journalctl: 'echo "Failed to open" >&2; exit 1' }, 'Failed to open'],
    ['a journal without any entry, for this user', { journalctl: 'echo "-- No entries --"' }, 'systemd-journal'],
  ])('report why their logs cannot be read: %s', async (_what, scripts, words) => {
    const { status, json, headers } = await (await robot(scripts)).as('ADMIN', LOGS);
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toContain(words);
    expect(headers['retry-after']).toBe('5');
  });

  it('are no longer queried once the client has hung up', async () => {
    const mark = `4321.${process.pid}`;
    const { url, token, inFlight } = await robot({ journalctl: `exec /bin/sleep ${mark}` });
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${await token('ADMIN')}` };
    const answer = http(url, LOGS, { headers, signal: controller.signal });
    answer.catch(() => undefined);
    await until('journalctl runs', () => processesWith(mark).length > 0);
    controller.abort();
    await until('it is gone', () => processesWith(mark).length === 0);
    await until('the request is over', () => inFlight.size === 0);
  });
});
