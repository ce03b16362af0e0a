import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { wifiDevice } from '../../functions/shared/adapters/wifi/network-manager/device.ts';
import { Manager } from '../../functions/shared/adapters/wifi/network-manager/manager.ts';
import { ACTIVE, DEVICE, NM, ROOT, STATE } from '../../functions/shared/adapters/wifi/network-manager/names.ts';
import { openEvents } from '../support/events.ts';
import { bootGuest, type Guest } from '../support/guest.ts';
import { http } from '../support/http.ts';
import { startProcess } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/system-programs.ts';
import { temporaryFolder } from '../support/world.ts';

const CONFIGURE = '/api/v2/network/configure/';
const LIST = '/api/v2/network/get_wifi_list';

const HOME = { ssid: 'HomeNet', password: 'correct horse' };
/** An address of the access point of this network, which gives them by DHCP. */
const ADDRESS_OF = { HomeNet: /^10\.66\.1\.\d+$/, Corp: /^10\.66\.2\.\d+$/ };

/** Longest time one step takes in an emulated computer on a busy machine, in ms. */
const PATIENCE = 120_000;

describe('A computer with a real systemd, journal and Wi-Fi', () => {
  let guest: Guest;
  let service: TestService;
  const home = temporaryFolder();
  const authority = join(home, '.robot-rest', 'guest-ca.pem');

  const settings = () => ({
    HOME: home,
    SERVICE_MODE: 'robot',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_ALLOWED_UNITS: 'base=ssh.service,ap-*.service,lab-*.service',
    ...guest.settings,
  });

  beforeAll(async () => {
    guest = await bootGuest();
    // A certificate is named by its path, which has to be the same for this service and for NetworkManager.
    mkdirSync(join(home, '.robot-rest'), { mode: 0o700 });
    writeFileSync(authority, guest.authority);
    await guest.put(authority, guest.authority);
    service = await startTestService({ settings: settings() });
  }, 900_000);
  afterAll(async () => {
    await service?.stop();
    await guest?.stop();
  });

  describe('as the base computer', () => {
    /** The messages of a unit once the journal holds as many as are waited for. */
    async function logsOf(unit: string, count: number) {
      return until(
        `${count} entries of ${unit}`,
        async () => {
          const { json } = await service.as('ADMIN', `/api/v2/service/base/${unit}`);
          return json.entries.length >= count && json;
        },
        PATIENCE,
      );
    }

    it('lists the units of its systemd that are allowed, and no others', async () => {
      const list = async () => {
        const { status, json } = await service.as('ADMIN', '/api/v2/service/get_services_list');
        expect(status).toBe(200);
        return Array.isArray(json.base) && json; // an error when it is slower than a base computer may be
      };
      const json = await until('the base computer has answered in time', list, PATIENCE);
      expect(json.base.map(({ name }: { name: string }) => name)).toEqual([
        'ap-corp.service',
        'ap-home.service',
        'ssh.service',
      ]);
      expect(json.base[1]).toEqual({
        name: 'ap-home.service',
        description: 'Access point home',
        load_state: 'loaded',
        active_state: 'active',
        sub_state: 'running',
        enabled: true,
      });
    });

    it('tells what a unit wrote, and what systemd says of it, in order', async () => {
      const lines = `echo first; printf '\\033[31mred\\033[0m\\n'; echo trouble >&2; exit 3`;
      await guest.run(`systemd-run --quiet --unit=lab-writer sh -c "${lines}"`);
      const { system, truncated, entries } = await logsOf('lab-writer.service', 6);
      expect({ system, truncated }).toEqual({ system: 'base', truncated: false });
      const messages = entries.map(({ message }: { message: string }) => message);
      expect(messages).toEqual([
        expect.stringContaining('Started'),
        'first',
        'red',
        'trouble',
        expect.stringContaining('status=3'),
        expect.stringContaining('Failed'),
      ]);
      const text = await service.as('ADMIN', '/api/v2/service/base/lab-writer.service?lines=4', {
        headers: { accept: 'text/plain' },
      });
      expect(text.headers['x-truncated']).toBe('true');
      expect(text.text).toMatch(/^[-\dT:.]+Z \[\d+\] red\n.*trouble\n.*status=3.*\n.*Failed.*\n$/);
    });

    it('streams what a unit writes from now on, and ends the reader there when the client leaves', async () => {
      await guest.run('systemd-run --quiet --unit=lab-ticker sh -c "while echo tick; do sleep 1; done"');
      const readers = () => guest.run('pgrep --count --full "[j]ournalctl.*--follow" || true');
      const client = await openEvents(
        `${service.url}/api/v2/service/base/lab-ticker.service?follow=true`,
        await service.token('ADMIN'),
      );
      await until('two ticks', () => client.data().length >= 2, PATIENCE);
      expect(client.data()[0]).toMatchObject({ message: 'tick', priority: 6, pid: expect.any(Number) });
      expect((await readers()).trim()).toBe('1');
      client.leave();
      await until('the reader is gone', async () => (await readers()).trim() === '0', PATIENCE);
      await guest.run('systemctl stop lab-ticker');
    });
  });

  describe('with Wi-Fi', () => {
    const corp = () => ({
      ssid: 'Corp',
      is_hidden: true,
      eap_method: 'PEAP',
      phase2: 'MSCHAPV2',
      identity: 'bob',
      password: 'hunter2',
      anonymous_identity: 'anonymous',
      ca_cert: authority,
      domain_suffix_match: 'radius.lab',
    });

    const configure = (body: object) => service.as('ADMIN', CONFIGURE, { method: 'POST', body });
    /** Joins a network that has to let us in. */
    async function joined(network: object) {
      const { status, json } = await configure(network);
      expect([status, json.code]).toEqual([200, undefined]);
      return json;
    }
    /** The profile of the robot's radio as the computer itself tells it; empty when it is not connected. */
    const connected = async () => (await guest.run('nmcli -g GENERAL.CONNECTION device show wlan0')).trim();
    const profiles = async () =>
      (await guest.run('nmcli -g NAME,TYPE connection show')).split('\n').filter((line) => line.includes('wireless'));

    /** The former network is in use, and no trace is left of the one that was tried. */
    async function expectHome(outcome: object) {
      const { json } = await service.as('ADMIN', LIST);
      expect(json.current).toMatchObject({ ssid: 'HomeNet', security: 'wpa-psk' });
      expect(json.last_configure).toMatchObject(outcome);
      expect(await connected()).toBe('HomeNet');
      expect(await profiles()).toEqual(['HomeNet:802-11-wireless']);
    }

    beforeEach(async () => {
      if ((await connected()) !== 'HomeNet') await joined(HOME);
      const others = 'nmcli -g UUID,NAME,TYPE connection show | grep wireless | grep -v :HomeNet: | cut -d: -f1';
      await guest.run(`for id in $(${others}); do nmcli connection delete $id; done`);
    });

    it('joins with the right password, and keeps it where only root can read it', async () => {
      const json = await joined(HOME);
      expect(json).toMatchObject({
        ssid: 'HomeNet',
        connected: true,
        connection: { security: 'wpa-psk', frequency: 2437 },
      });
      expect(json.connection.ip_addresses[0]).toMatch(ADDRESS_OF.HomeNet);
      await expectHome({ ssid: 'HomeNet', outcome: 'connected' });
      const kept = await guest.run(
        'stat -c %a:%U /etc/NetworkManager/system-connections/*; nmcli -g connection.autoconnect connection show HomeNet',
      );
      expect(kept).toBe('600:root\nyes\n');
    });

    it('connects by itself to what it has joined when the access point was away', async () => {
      await joined(HOME);
      await guest.run('systemctl stop ap-home');
      await until('the connection is lost', async () => (await connected()) === '', PATIENCE);
      await guest.run('systemctl start ap-home');
      const current = async () => (await service.as('ADMIN', LIST)).json.current;
      await until('it is back', async () => (await current())?.ssid === 'HomeNet', PATIENCE);
    });

    it('is back on the former network after a wrong password', async () => {
      const { status, json } = await configure({ ...HOME, password: 'wrong horse' });
      expect([status, json.code]).toEqual([422, 'wifi_wrong_password']);
      await expectHome({ ssid: 'HomeNet', outcome: 'failed', code: 'wifi_wrong_password' });
    });

    it('is back on a network that it has joined just before', async () => {
      await joined(corp());
      const { status, json } = await configure({ ...HOME, password: 'wrong horse' });
      expect([status, json.code]).toEqual([422, 'wifi_wrong_password']);
      expect((await service.as('ADMIN', LIST)).json.current).toMatchObject({ ssid: 'Corp', security: 'wpa-eap' });
      expect(await connected()).toBe('Corp');
      expect((await profiles()).sort()).toEqual(['Corp:802-11-wireless', 'HomeNet:802-11-wireless']);
    });

    it('does not leave its network for a name that nobody announces', async () => {
      const activation = () => guest.run('nmcli -g GENERAL.DBUS-PATH connection show HomeNet');
      const before = await activation();
      const { status, json } = await configure({ ssid: 'Nowhere', password: 'correct horse' });
      expect([status, json.code]).toEqual([422, 'wifi_ssid_not_found']);
      await expectHome({ ssid: 'Nowhere', outcome: 'failed', code: 'wifi_ssid_not_found' });
      expect(before).toMatch(/ActiveConnection/);
      expect(await activation()).toBe(before);
    });

    it('is back on the former network when a hidden one is not there', async () => {
      const { status, json } = await configure({ ssid: 'Nowhere', is_hidden: true, password: 'correct horse' });
      expect([status, json.code]).toEqual([422, 'wifi_ssid_not_found']);
      await expectHome({ ssid: 'Nowhere', outcome: 'failed', code: 'wifi_ssid_not_found' });
    });

    it.each([
      ['password', { password: 'hunter3' }],
      ['server', { domain_suffix_match: 'elsewhere.lab' }],
    ])('is back on the former network when the %s of 802.1X is not the right one', async (_what, wrong) => {
      const { status, json } = await configure({ ...corp(), ...wrong });
      expect([status, json.code]).toEqual([422, 'wifi_eap_rejected']);
      await expectHome({ ssid: 'Corp', outcome: 'failed', code: 'wifi_eap_rejected' });
    });

    it('joins a hidden network with PEAP whose server its certificate vouches for', async () => {
      const json = await joined(corp());
      expect(json).toMatchObject({ ssid: 'Corp', connected: true });
      expect(json.connection.ip_addresses[0]).toMatch(ADDRESS_OF.Corp);
      expect(await connected()).toBe('Corp');
    });

    describe('when the service is killed', () => {
      let watch: Manager;

      beforeAll(async () => {
        watch = await Manager.connect(guest.settings.DBUS_SYSTEM_BUS_ADDRESS);
      });
      afterAll(() => watch?.close());

      const checkpoints = async () => (await watch.properties(ROOT, NM)).Checkpoints;
      const deviceState = async () => (await wifiDevice(watch)).state;
      /** The network the radio is on the way to. */
      async function approached(): Promise<unknown> {
        const { path, state } = await wifiDevice(watch);
        if (state <= STATE.disconnected || state >= STATE.activated) return undefined;
        const { ActiveConnection } = await watch.properties(path, DEVICE);
        const { Id } = await watch.properties(String(ActiveConnection), ACTIVE).catch(() => ({ Id: undefined }));
        return Id;
      }

      /** Has a service join Corp, the present network having just been joined, and kills it on the way to `network`. */
      async function killOnTheWayTo(network: string): Promise<void> {
        await joined(HOME);
        await service.stop();
        const doomed = await startProcess(settings());
        try {
          const { token } = (await http(doomed.socketPath, '/api/v2/auth/')).json;
          const headers = { authorization: `Bearer ${token}` };
          const lost = http(doomed.url, CONFIGURE, { method: 'POST', body: corp(), headers }).then(
            ({ text }) => text,
            () => 'no answer',
          );
          await until(`the way to ${network}`, async () => (await approached()) === network, PATIENCE);
          await doomed.end('SIGKILL');
          expect(await lost).toBe('no answer');
        } finally {
          await doomed.end('SIGKILL');
          service = await startTestService({ settings: settings() });
        }
      }

      it('is taken back to the former network by NetworkManager, in the middle of a join', async () => {
        await killOnTheWayTo('Corp');
        expect(await guest.run('nmcli -g connection.autoconnect connection show Corp')).toBe('no\n');
        expect(await guest.run('ls /etc/NetworkManager/system-connections')).not.toContain('Corp');
        // Nothing is wrong with that network: without the checkpoint the robot would stay there.
        await until('the join succeeds without the service', async () => (await connected()) === 'Corp', PATIENCE);
        await until('the former network is back', async () => (await connected()) === 'HomeNet', PATIENCE);
        await until('it stands', async () => (await deviceState()) === STATE.activated, PATIENCE);
        await expectHome({ ssid: 'Corp', outcome: 'interrupted' });
      });

      it('stays on the former network, while that is joined once more before a join', async () => {
        await killOnTheWayTo('HomeNet');
        await until('it stands', async () => (await deviceState()) === STATE.activated, PATIENCE);
        await expectHome({ ssid: 'Corp', outcome: 'interrupted' });
        expect(await checkpoints()).toEqual([]);
      });
    });
  });
});
