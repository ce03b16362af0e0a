import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bootGuest, type Guest } from '../support/guest.ts';
import { http } from '../support/http.ts';
import { freshEnvironment, runToEnd } from '../support/process.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/system-programs.ts';

const SETTINGS = `SERVICE_MODE=robot
SERVICE_ROBOT_URL=sim:
SERVICE_ALLOWED_UNITS=head=*.service
`;
const SETTINGS_PATH = '/etc/robot-rest/robot-rest.env';
const INSTALL = '/root/build/deploy/install.sh';

/** Longest time one step takes in an emulated computer on a busy machine, in ms. */
const PATIENCE = 120_000;

describe('The service, installed on a computer by its script', () => {
  let guest: Guest;
  let network: string;
  let socket: string;
  let installed: string;
  let token: string;

  const show = async (...properties: string[]) => {
    const lines = await guest.run(`systemctl show robot-rest -p ${properties.join(',')}`);
    return Object.fromEntries(
      lines
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
  };
  const asAdmin = (path: string, call: { method?: string; body?: object } = {}) =>
    http(network, path, { ...call, headers: { host: 'localhost', authorization: `Bearer ${token}` } });

  beforeAll(async () => {
    await runToEnd(['api-key', 'list'], freshEnvironment()); // builds when there is no present build
    guest = await bootGuest();
    await guest.copy(dirname(process.execPath), [basename(process.execPath)], '/usr/bin');
    await guest.copy(join(ROOT, 'dist/current'), ['.'], '/root/build');
    await guest.put(SETTINGS_PATH, SETTINGS);
    installed = await guest.run(INSTALL);
    network = await guest.reach('127.0.0.1:8000');
    socket = await guest.reach('/tmp/rest_api.sock');
    token = (await http(socket, '/api/v2/auth/')).json.token;
  }, 900_000);
  afterAll(() => guest?.stop());

  it('is enabled and has said that it is ready when the script ends', async () => {
    const build = readFileSync(join(ROOT, 'dist/current/build-id'), 'utf8').trim();
    expect(installed).toBe(`Installed: ${build}\n`);
    expect(await show('ActiveState', 'UnitFileState', 'Type', 'NotifyAccess', 'StatusText', 'NRestarts')).toEqual({
      ActiveState: 'active',
      UnitFileState: 'enabled',
      Type: 'notify',
      NotifyAccess: 'all',
      StatusText: expect.stringMatching(/^Listening on http:/),
      NRestarts: '0',
    });
  });

  it('goes on running, with its settings, when the script is run again', async () => {
    const before = await show('MainPID', 'ActiveEnterTimestampMonotonic');
    expect(await guest.run(INSTALL)).toBe(installed);
    expect(await show('MainPID', 'ActiveEnterTimestampMonotonic')).toEqual(before);
    expect(await guest.run(`cat ${SETTINGS_PATH}; ls /opt/robot-rest/releases`)).toBe(
      `${SETTINGS}${installed.replace('Installed: ', '')}`,
    );
  });

  it('feeds the watchdog', async () => {
    const property = 'WatchdogTimestampMonotonic';
    const { WatchdogUSec, [property]: before } = await show('WatchdogUSec', property);
    expect(WatchdogUSec).toBe('30s');
    await until('the watchdog is fed', async () => Number((await show(property))[property]) > Number(before), PATIENCE);
  });

  it('runs as its own user, without a privilege and without a way to one', async () => {
    const { MainPID } = await show('MainPID');
    expect(await guest.run(`ps -o user:32=,group:32= -p ${MainPID} | xargs`)).toBe('robot-rest robot-rest\n');
    const rights = await guest.run(`grep -E '^(CapPrm|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/${MainPID}/status`);
    expect(rights.replace(/\t/g, '').trim().split('\n')).toEqual([
      'CapPrm:0000000000000000',
      'CapEff:0000000000000000',
      'CapBnd:0000000000000000',
      'NoNewPrivs:1',
      'Seccomp:2',
    ]);
  });

  it('answers over the network, and there only with a token', async () => {
    const { status, json } = await http(network, '/status', { headers: { host: 'localhost' } });
    expect([status, json.status, json.mode, json.robot]).toEqual([200, 'ok', 'robot', 'connected']);
    const closed = await http(network, '/api/v2/service/get_services_list', { headers: { host: 'localhost' } });
    expect(closed.status).toBe(401);
  });

  it('gives a token at the socket without a key, to the group of its clients and to nobody else', async () => {
    const client = `require('node:net').connect('/tmp/rest_api.sock').on('connect', () => process.exit())`;
    const attempt = (group: string) =>
      guest.run(`setpriv --reuid nobody --regid nogroup --groups ${group} node -e "${client}"`);
    expect(await guest.run('readlink /tmp/rest_api.sock; stat -Lc %a:%U:%G /tmp/rest_api.sock')).toBe(
      '/run/robot-rest/rest_api.sock\n660:robot-rest:robot-rest-clients\n',
    );
    expect(token).toMatch(/^ey/);
    await attempt('robot-rest-clients');
    await expect(attempt('nogroup')).rejects.toThrow('EACCES');
  });

  it('lists the units of this computer, itself among them', async () => {
    const { status, json } = await asAdmin('/api/v2/service/get_services_list');
    expect(status).toBe(200);
    const running = { load_state: 'loaded', active_state: 'active', sub_state: 'running', enabled: true };
    expect(json.head).toEqual(
      expect.arrayContaining([
        { name: 'ap-home.service', description: 'Access point home', ...running },
        { name: 'robot-rest.service', description: 'Robot REST service', ...running },
      ]),
    );
  });

  it('reads the log of another unit, which is not for everybody', async () => {
    await guest.run('systemd-run --quiet --wait --unit=lab-writer echo written');
    const { status, json } = await asAdmin('/api/v2/service/head/lab-writer.service');
    expect([status, json.system]).toEqual([200, 'head']);
    expect(json.entries.map(({ message }: { message: string }) => message)).toContain('written');
    const stranger = 'setpriv --reuid nobody --regid nogroup --clear-groups journalctl -o cat -u lab-writer 2>&1';
    expect(await guest.run(`${stranger} || true`)).not.toContain('written');
  });

  describe('is asked by NetworkManager for a permission', () => {
    const name = 'org.freedesktop.NetworkManager';
    const question = `busctl --timeout=120 --json=short call ${name} /org/freedesktop/NetworkManager ${name} GetPermissions`;
    const allowedTo = async (user: string) => {
      const answers: Record<string, string> = JSON.parse(await guest.run(`runuser -u ${user} -- ${question}`)).data[0];
      return Object.keys(answers).filter((action) => answers[action] === 'yes');
    };

    it('which it has for exactly four things', async () => {
      const four = ['checkpoint-rollback', 'network-control', 'settings.modify.system', 'wifi.scan'];
      expect((await allowedTo('robot-rest')).sort()).toEqual(four.map((action) => `${name}.${action}`));
    });

    it('which another user has for nothing', async () => {
      expect(await allowedTo('nobody')).toEqual([]);
    });
  });

  it('sees the networks around, joins one with the right password and tells so', async () => {
    const names = async () => {
      const { status, json } = await asAdmin('/api/v2/network/get_wifi_list');
      expect(status).toBe(200);
      return json.networks.map(({ ssid }: { ssid: string }) => ssid);
    };
    await until('HomeNet is seen', async () => (await names()).includes('HomeNet'), PATIENCE);
    const body = { ssid: 'HomeNet', password: 'correct horse' };
    const { status, json } = await asAdmin('/api/v2/network/configure/', { method: 'POST', body });
    expect([status, json.ssid, json.connected]).toEqual([200, 'HomeNet', true]);
    expect(await guest.run('nmcli -g GENERAL.CONNECTION device show wlan0')).toBe('HomeNet\n');
  });

  it('goes back to the network before when the password is wrong', async () => {
    const body = { ssid: 'HomeNet', password: 'wrong horse' };
    const { status, json } = await asAdmin('/api/v2/network/configure/', { method: 'POST', body });
    expect([status, json.code]).toEqual([422, 'wifi_wrong_password']);
    expect(await guest.run('nmcli -g GENERAL.CONNECTION device show wlan0')).toBe('HomeNet\n');
  });
});
