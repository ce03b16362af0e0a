import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { wifiDevice } from '../../functions/system/network/adapters/network-manager/device.ts';
import { Manager } from '../../functions/system/network/adapters/network-manager/manager.ts';
import { ACTIVE, DEVICE, NM, ROOT, STATE } from '../../functions/system/network/adapters/network-manager/names.ts';
import { BOOT_TIMEOUT_MS, PATIENCE } from '../support/guest.ts';
import { GuestService } from '../support/guest-service.ts';
import { http } from '../support/http.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';

const CONFIGURE = '/api/v2/network/configure/';
const LIST = '/api/v2/network/get_wifi_list';

const HOME = { ssid: 'HomeNet', password: 'correct horse' };
/** An address of the access point of this network, which gives them by DHCP. */
const ADDRESS_OF = { HomeNet: /^10\.66\.1\.\d+$/, Corp: /^10\.66\.2\.\d+$/ };

describe('A computer with a real Wi-Fi device', () => {
  let world: GuestService;

  beforeAll(async () => {
    world = await GuestService.boot();
  }, BOOT_TIMEOUT_MS);
  afterAll(() => world?.stop());

  const corp = () => ({
    ssid: 'Corp',
    is_hidden: true,
    eap_method: 'PEAP',
    phase2: 'MSCHAPV2',
    identity: 'bob',
    password: 'hunter2',
    anonymous_identity: 'anonymous',
    ca_cert: world.authority,
    domain_suffix_match: 'radius.lab',
  });

  const configure = (body: object) => world.service.as('ADMIN', CONFIGURE, { method: 'POST', body });
  /** Joins a network that has to let us in. */
  async function joined(network: object) {
    const { status, json } = await configure(network);
    expect([status, json.code]).toEqual([200, undefined]);
    return json;
  }
  /** The profile of the robot's radio as the computer itself tells it; empty when it is not connected. */
  const connected = async () => (await world.guest.run('nmcli -g GENERAL.CONNECTION device show wlan0')).trim();
  const profiles = async () =>
    (await world.guest.run('nmcli -g NAME,TYPE connection show'))
      .split('\n')
      .filter((line) => line.includes('wireless'));

  /** The former network is in use, and no trace is left of the one that was tried. */
  async function expectHome(outcome: object) {
    const { json } = await world.service.as('ADMIN', LIST);
    expect(json.current).toMatchObject({ ssid: 'HomeNet', security: 'wpa-psk' });
    expect(json.last_configure).toMatchObject(outcome);
    expect(await connected()).toBe('HomeNet');
    expect(await profiles()).toEqual(['HomeNet:802-11-wireless']);
  }

  beforeEach(async () => {
    if ((await connected()) !== 'HomeNet') await joined(HOME);
    const others = 'nmcli -g UUID,NAME,TYPE connection show | grep wireless | grep -v :HomeNet: | cut -d: -f1';
    await world.guest.run(`for id in $(${others}); do nmcli connection delete $id; done`);
  });

  it('joins with the right password, stored for root only', async () => {
    const json = await joined(HOME);
    expect(json).toMatchObject({
      ssid: 'HomeNet',
      connected: true,
      connection: { security: 'wpa-psk', frequency: 2437 },
    });
    expect(json.connection.ip_addresses[0]).toMatch(ADDRESS_OF.HomeNet);
    await expectHome({ ssid: 'HomeNet', outcome: 'connected' });
    const kept = await world.guest.run(
      'stat -c %a:%U /etc/NetworkManager/system-connections/*; nmcli -g connection.autoconnect connection show HomeNet',
    );
    expect(kept).toBe('600:root\nyes\n');
  });

  it('reconnects automatically when the access point returns', async () => {
    await joined(HOME);
    await world.guest.run('systemctl stop ap-home');
    await until('the connection is lost', async () => (await connected()) === '', PATIENCE);
    await world.guest.run('systemctl start ap-home');
    const current = async () => (await world.service.as('ADMIN', LIST)).json.current;
    await until('it is back', async () => (await current())?.ssid === 'HomeNet', PATIENCE);
  });

  it('returns to the previous network after a wrong password', async () => {
    const { status, json } = await configure({ ...HOME, password: 'wrong horse' });
    expect([status, json.code]).toEqual([422, 'wifi_wrong_password']);
    await expectHome({ ssid: 'HomeNet', outcome: 'failed', code: 'wifi_wrong_password' });
  });

  it('returns to a network it has just joined', async () => {
    await joined(corp());
    const { status, json } = await configure({ ...HOME, password: 'wrong horse' });
    expect([status, json.code]).toEqual([422, 'wifi_wrong_password']);
    expect((await world.service.as('ADMIN', LIST)).json.current).toMatchObject({ ssid: 'Corp', security: 'wpa-eap' });
    expect(await connected()).toBe('Corp');
    expect((await profiles()).sort()).toEqual(['Corp:802-11-wireless', 'HomeNet:802-11-wireless']);
  });

  it('does not leave its network for an unknown name', async () => {
    const activation = () => world.guest.run('nmcli -g GENERAL.DBUS-PATH connection show HomeNet');
    const before = await activation();
    const { status, json } = await configure({ ssid: 'Nowhere', password: 'correct horse' });
    expect([status, json.code]).toEqual([422, 'wifi_ssid_not_found']);
    await expectHome({ ssid: 'Nowhere', outcome: 'failed', code: 'wifi_ssid_not_found' });
    expect(before).toMatch(/ActiveConnection/);
    expect(await activation()).toBe(before);
  });

  it('returns to the previous network when a hidden one is missing', async () => {
    const { status, json } = await configure({ ssid: 'Nowhere', is_hidden: true, password: 'correct horse' });
    expect([status, json.code]).toEqual([422, 'wifi_ssid_not_found']);
    await expectHome({ ssid: 'Nowhere', outcome: 'failed', code: 'wifi_ssid_not_found' });
  });

  it.each([
    ['password', { password: 'hunter3' }],
    ['server', { domain_suffix_match: 'elsewhere.lab' }],
  ])('returns to the previous network when the %s of 802.1X is wrong', async (_what, wrong) => {
    const { status, json } = await configure({ ...corp(), ...wrong });
    expect([status, json.code]).toEqual([422, 'wifi_eap_rejected']);
    await expectHome({ ssid: 'Corp', outcome: 'failed', code: 'wifi_eap_rejected' });
  });

  it('joins a hidden PEAP network with a verified server', async () => {
    const json = await joined(corp());
    expect(json).toMatchObject({ ssid: 'Corp', connected: true });
    expect(json.connection.ip_addresses[0]).toMatch(ADDRESS_OF.Corp);
    expect(await connected()).toBe('Corp');
  });

  describe('when the service is killed', () => {
    let watch: Manager;

    beforeAll(async () => {
      watch = await Manager.connect(world.guest.settings.DBUS_SYSTEM_BUS_ADDRESS);
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
      await world.service.stop();
      const doomed = await startProcess(world.settings);
      try {
        const { token } = (await http(doomed.socketPath, '/api/v2/auth/')).json;
        const headers = { authorization: `Bearer ${token}` };
        let answer: string | undefined;
        const lost = http(doomed.url, CONFIGURE, { method: 'POST', body: corp(), headers }).then(
          ({ text }) => text,
          () => 'no answer',
        );
        void lost.then((text) => {
          answer = text;
        });
        const onTheWay = async () => {
          if (answer !== undefined) throw new Error(`answered before it was on the way: ${answer}`);
          return (await approached()) === network;
        };
        await until(`the way to ${network}`, onTheWay, PATIENCE);
        await doomed.end('SIGKILL');
        expect(await lost).toBe('no answer');
      } finally {
        await doomed.end('SIGKILL');
        await world.restart();
      }
    }

    it('is returned to the previous network by NetworkManager, midway through a join', async () => {
      await killOnTheWayTo('Corp');
      expect(await world.guest.run('nmcli -g connection.autoconnect connection show Corp')).toBe('no\n');
      expect(await world.guest.run('ls /etc/NetworkManager/system-connections')).not.toContain('Corp');
      // Nothing is wrong with that network: without the checkpoint the robot would stay there.
      await until('the join succeeds without the service', async () => (await connected()) === 'Corp', PATIENCE);
      await until('the former network is back', async () => (await connected()) === 'HomeNet', PATIENCE);
      await until('it stands', async () => (await deviceState()) === STATE.activated, PATIENCE);
      await expectHome({ ssid: 'Corp', outcome: 'interrupted' });
    });

    it('stays on the previous network while that is being rejoined', async () => {
      await killOnTheWayTo('HomeNet');
      await until('it stands', async () => (await deviceState()) === STATE.activated, PATIENCE);
      await expectHome({ ssid: 'Corp', outcome: 'interrupted' });
      expect(await checkpoints()).toEqual([]);
    });
  });
});
