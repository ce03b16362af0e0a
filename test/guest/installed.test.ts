import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_TIMEOUT_MS, PATIENCE } from '../support/guest.ts';
import { http } from '../support/http.ts';
import { INSTALL, InstalledGuest, SETTINGS, SETTINGS_PATH } from '../support/installed-guest.ts';
import { until } from '../support/processes.ts';
import { ROOT } from '../support/sources.ts';

describe('The service installed by its script', () => {
  let world: InstalledGuest;

  beforeAll(async () => {
    world = await InstalledGuest.boot();
  }, BOOT_TIMEOUT_MS);
  afterAll(() => world?.guest.stop());

  it('is enabled and ready when the script ends', async () => {
    expect(world.build).toBe(readFileSync(join(ROOT, 'dist/current/build-id'), 'utf8').trim());
    expect(await world.show('ActiveState', 'UnitFileState', 'Type', 'NotifyAccess', 'StatusText', 'NRestarts')).toEqual(
      {
        ActiveState: 'active',
        UnitFileState: 'enabled',
        Type: 'notify',
        NotifyAccess: 'all',
        StatusText: expect.stringMatching(/^Listening on http:/),
        NRestarts: '0',
      },
    );
  });

  it('keeps running with its settings when the script runs again', async () => {
    const before = await world.show('MainPID', 'ActiveEnterTimestampMonotonic');
    expect(await world.guest.run(INSTALL)).toBe(world.installed);
    expect(await world.show('MainPID', 'ActiveEnterTimestampMonotonic')).toEqual(before);
    expect(await world.guest.run(`cat ${SETTINGS_PATH}; ls /opt/robot-rest/releases`)).toBe(
      `${SETTINGS}${world.build}\n`,
    );
  });

  it('feeds the watchdog', async () => {
    const property = 'WatchdogTimestampMonotonic';
    const { WatchdogUSec, [property]: before } = await world.show('WatchdogUSec', property);
    expect(WatchdogUSec).toBe('30s');
    await until(
      'the watchdog is fed',
      async () => Number((await world.show(property))[property]) > Number(before),
      PATIENCE,
    );
  });

  it('runs as its own user, without a privilege and without a way to one', async () => {
    await world.expectUnprivileged((await world.show('MainPID')).MainPID);
  });

  it('answers over the network only with a token', async () => {
    const { status, json } = await http(world.network, '/status', { headers: { host: 'localhost' } });
    expect([status, json.status, json.mode, json.robot]).toEqual([200, 'ok', 'robot', 'connected']);
    const closed = await http(world.network, '/api/v2/service/get_services_list', { headers: { host: 'localhost' } });
    expect(closed.status).toBe(401);
  });

  it("gives a token without a key over the socket to its clients' group only", async () => {
    const client = `require('node:net').connect('/tmp/rest_api.sock').on('connect', () => process.exit())`;
    const attempt = (group: string) =>
      world.guest.run(`setpriv --reuid nobody --regid nogroup --groups ${group} node -e "${client}"`);
    expect(await world.guest.run('readlink /tmp/rest_api.sock; stat -Lc %a:%U:%G /tmp/rest_api.sock')).toBe(
      '/run/robot-rest/rest_api.sock\n660:robot-rest:robot-rest-clients\n',
    );
    expect(world.token).toMatch(/^ey/);
    await attempt('robot-rest-clients');
    await expect(attempt('nogroup')).rejects.toThrow('EACCES');
  });

  it('lists the units of this computer including its own', async () => {
    const list = async () => {
      const { status, json } = await world.asAdmin('/api/v2/service/get_services_list');
      expect(status).toBe(200);
      return Array.isArray(json.head) && json; // an error when it is slower than a robot may be
    };
    const json = await until('the computer has answered in time', list, PATIENCE);
    const running = { load_state: 'loaded', active_state: 'active', sub_state: 'running', enabled: true };
    expect(json.head).toEqual(
      expect.arrayContaining([
        { name: 'ap-home.service', description: 'Access point home', ...running },
        { name: 'robot-rest.service', description: 'Robot REST service', ...running },
      ]),
    );
  });

  it('reads the log of another unit that other users cannot read', async () => {
    await world.guest.run('systemd-run --quiet --wait --unit=lab-writer echo written');
    const { status, json } = await world.asAdmin('/api/v2/service/head/lab-writer.service');
    expect([status, json.system]).toEqual([200, 'head']);
    expect(json.entries.map(({ message }: { message: string }) => message)).toContain('written');
    const stranger = 'setpriv --reuid nobody --regid nogroup --clear-groups journalctl -o cat -u lab-writer 2>&1';
    expect(await world.guest.run(`${stranger} || true`)).not.toContain('written');
  });

  describe('has NetworkManager permission', () => {
    const name = 'org.freedesktop.NetworkManager';
    const question = `busctl --timeout=120 --json=short call ${name} /org/freedesktop/NetworkManager ${name} GetPermissions`;
    const allowedTo = async (user: string) => {
      const answers: Record<string, string> = JSON.parse(await world.guest.run(`runuser -u ${user} -- ${question}`))
        .data[0];
      return Object.keys(answers).filter((action) => answers[action] === 'yes');
    };

    it('for exactly four actions', async () => {
      const four = ['checkpoint-rollback', 'network-control', 'settings.modify.system', 'wifi.scan'];
      expect((await allowedTo('robot-rest')).sort()).toEqual(four.map((action) => `${name}.${action}`));
    });

    it('that another user lacks', async () => {
      expect(await allowedTo('nobody')).toEqual([]);
    });
  });

  it('lists the visible networks and joins one with the right password', async () => {
    const names = async () => {
      const { status, json } = await world.asAdmin('/api/v2/network/get_wifi_list');
      expect(status).toBe(200);
      return json.networks.map(({ ssid }: { ssid: string }) => ssid);
    };
    await until('HomeNet is seen', async () => (await names()).includes('HomeNet'), PATIENCE);
    const body = { ssid: 'HomeNet', password: 'correct horse' };
    const { status, json } = await world.asAdmin('/api/v2/network/configure/', { method: 'POST', body });
    expect([status, json.ssid, json.connected]).toEqual([200, 'HomeNet', true]);
    expect(await world.guest.run('nmcli -g GENERAL.CONNECTION device show wlan0')).toBe('HomeNet\n');
  });

  it('returns to the previous network when the password is wrong', async () => {
    const body = { ssid: 'HomeNet', password: 'wrong horse' };
    const { status, json } = await world.asAdmin('/api/v2/network/configure/', { method: 'POST', body });
    expect([status, json.code]).toEqual([422, 'wifi_wrong_password']);
    expect(await world.guest.run('nmcli -g GENERAL.CONNECTION device show wlan0')).toBe('HomeNet\n');
  });

  it('runs within its resource limits', async () => {
    const { ControlGroup, MainPID } = await world.show('ControlGroup', 'MainPID');
    const bounds = await world.guest.run(`cd /sys/fs/cgroup${ControlGroup} && cat memory.high memory.max pids.max`);
    expect(bounds).toBe(`${896 << 20}\n${1 << 30}\n256\n`);
    const files = await world.guest.run(`nsenter --mount --target ${MainPID} ls /proc | grep -v '^[0-9]' | xargs`);
    expect(files).toBe('self thread-self\n');
    const { status, text } = await world.asAdmin('/metrics');
    const metric = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    expect(status).toBe(200);
    expect(metric('process_resident_memory_bytes')).toBeGreaterThan(10 << 20);
    expect(metric('process_open_fds')).toBeGreaterThan(5);
  });

  describe('lets the skills', () => {
    const path = '/var/lib/robot-rest/skills/greet.py';
    const source = '@skill(access_level="ADMIN")\ndef greet():\n    pass\n';
    const readBy = (group: string, file: string) =>
      world.guest.run(`setpriv --reuid nobody --regid nogroup --groups ${group} cat ${file}`);

    it("be read only by their readers' group", async () => {
      const part = 'Content-Disposition: form-data; name="skill"; filename="greet.py"';
      const { status, json } = await http(world.network, '/api/v2/skill/upload/', {
        method: 'POST',
        body: `--XX\r\n${part}\r\n\r\n${source}\r\n--XX--\r\n`,
        headers: {
          host: 'localhost',
          authorization: `Bearer ${world.token}`,
          'content-type': 'multipart/form-data; boundary=XX',
        },
      });
      expect([status, json.skill?.name]).toEqual([200, 'greet.py']);
      expect(await world.guest.run(`stat -c %a:%U:%G ${path}`)).toBe('640:robot-rest:robot-skills\n');
      expect(await readBy('robot-skills', path)).toBe(source);
      await expect(readBy('nogroup', path)).rejects.toThrow('Permission denied');
      await expect(readBy('robot-skills', '/var/lib/robot-rest/api-keys.json')).rejects.toThrow('Permission denied');
    });

    it('be read by that group after a restart of the service', async () => {
      await world.guest.run('systemctl restart robot-rest');
      expect(await readBy('robot-skills', path)).toBe(source);
    });
  });

  describe('starts', () => {
    it('although another user has put a lock next to its socket link', async () => {
      await world.guest.run('setpriv --reuid nobody --regid nogroup --clear-groups mkdir /tmp/rest_api.sock.lock');
      await world.guest.run('systemctl restart robot-rest');
      expect((await http(world.socket, '/status')).status).toBe(200);
    });

    it('without its socket, with a warning, when a folder is in the way', async () => {
      await world.guest.put(SETTINGS_PATH, `${SETTINGS}SERVICE_SOCKET_PATH=/var/lib/robot-rest/skills\n`);
      await world.guest.run('systemctl restart robot-rest');
      const headers = { host: 'localhost' };
      expect((await http(world.network, '/status', { headers })).status).toBe(200);
      const { status, json } = await http(world.network, '/health/ready', { headers });
      expect(status).toBe(503);
      expect(json.parts.socket).toEqual({ ok: false, reason: expect.stringContaining('TCP works') });
      const log = await world.guest.run('journalctl -u robot-rest -o cat --since=-10min');
      expect(log).toContain('/var/lib/robot-rest/skills exists and is not a socket; it belongs to user robot-rest.');
      await world.guest.put(SETTINGS_PATH, SETTINGS);
      await world.guest.run('systemctl restart robot-rest');
      expect((await http(world.socket, '/status')).status).toBe(200);
    });
  });

  it('is never restarted by systemd or ended by the memory limit', () => world.expectNeverRestarted());
});
