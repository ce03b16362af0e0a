import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SystemBus, typed } from '../../functions/shared/kit/system-bus.ts';
import { describeWith } from '../support/components.ts';
import { DBUSMOCK } from '../support/mocked-wifi.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { startPrivateBus, startSystemProgram } from '../support/system-programs.ts';
import { temporaryFolder } from '../support/world.ts';

const SYSTEMD = 'org.freedesktop.systemd1';
const ROOT_PATH = '/org/freedesktop/systemd1';
const UNIT_PATH = `${ROOT_PATH}/unit/nav_2eservice`;
const UNITS = 'nav.service,denied.service,gone.service,robot-rest.service,robot-rest-guard.service';

/** What systemd answers for units that polkit does not let this user restart, and for ones that there are not. */
const RESTART = `
names = {'denied.service': 'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired', 'gone.service': '${SYSTEMD}.NoSuchUnit'}
if args[0] in names: raise dbus.exceptions.DBusException('refused', name=names[args[0]])
ret = dbus.ObjectPath('${ROOT_PATH}/job/7')
`;

/** A systemctl on base whose unit does not end. */
const SYSTEMCTL = `#!/bin/sh
echo "$SSH_ORIGINAL_COMMAND" >> RECORD
case "$SSH_ORIGINAL_COMMAND" in
  *denied.service*) echo 'Failed to restart denied.service: Interactive authentication required.' >&2; exit 1 ;;
  *gone.service*) echo 'Failed to restart gone.service: Unit gone.service not found.' >&2; exit 5 ;;
  *"'show'"*) printf 'ActiveState=deactivating\\nSubState=stop-sigterm\\n' ;;
esac
`;

async function startSystemdMock() {
  const bus = await startPrivateBus();
  const words = ['-m', 'dbusmock', '--system', SYSTEMD, ROOT_PATH, `${SYSTEMD}.Manager`];
  const environment = { DBUS_SYSTEM_BUS_ADDRESS: bus.address };
  const mock = startSystemProgram('/usr/bin/python3', words, { folder: bus.folder, environment });
  const control = await SystemBus.connect(bus.address);
  const call = (member: string, signature = '', body: readonly unknown[] = []) =>
    control.call({
      destination: SYSTEMD,
      path: ROOT_PATH,
      interface: 'org.freedesktop.DBus.Mock',
      member,
      signature,
      body,
    });
  await until('the mock', () =>
    call('GetCalls').then(
      () => true,
      () => false,
    ),
  );
  await call('AddMethod', 'sssss', [`${SYSTEMD}.Manager`, 'RestartUnit', 'ss', 'o', RESTART]);
  const unit = `ret = dbus.ObjectPath('${UNIT_PATH}')`;
  await call('AddMethod', 'sssss', [`${SYSTEMD}.Manager`, 'GetUnit', 's', 'o', unit]);
  const state = { ActiveState: typed('s', 'activating'), SubState: typed('s', 'start') };
  await call('AddObject', 'ssa{sv}a(ssss)', [UNIT_PATH, `${SYSTEMD}.Unit`, state, []]);
  return {
    address: bus.address,
    calls: async () => JSON.stringify(await call('GetCalls'), (_key, value) => (typeof value === 'bigint' ? 0 : value)),
    async stop() {
      control.close();
      await mock.stop();
      await bus.stop();
    },
  };
}

describeWith('python3-dbusmock', DBUSMOCK, 'Restarting a unit', () => {
  describeWith('sshd', SSHD, 'on head over D-Bus, and on base over a real sshd', () => {
    const folder = temporaryFolder();
    const record = join(folder, 'record');
    const sshd = new TestSshd();
    let systemd: Awaited<ReturnType<typeof startSystemdMock>>;
    let service: TestService;

    const restart = (unit: string) => service.as('ADMIN', `/api/v2/service/${unit}/restart`, { method: 'POST' });
    const asked = () => (existsSync(record) ? readFileSync(record, 'utf8') : '');

    beforeAll(async () => {
      const program = join(folder, 'systemctl');
      writeFileSync(program, SYSTEMCTL.replace('RECORD', record));
      chmodSync(program, 0o755);
      [systemd] = await Promise.all([startSystemdMock(), sshd.start(program)]);
      service = await startTestService({
        settings: {
          SERVICE_MODE: 'robot',
          SERVICE_HOST: '127.0.0.1',
          SERVICE_ROBOT_URL: 'sim:',
          SERVICE_RESTARTABLE_UNITS: `head=${UNITS};base=${UNITS}`,
          DBUS_SYSTEM_BUS_ADDRESS: systemd.address,
          ...sshd.settings(),
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await systemd?.stop();
      await sshd.stop();
    });

    it('answers at once with the state it has meanwhile, also when the unit hangs', async () => {
      const head = await restart('head/nav.service');
      expect([head.status, head.json]).toEqual([
        202,
        { system: 'head', service: 'nav.service', active_state: 'activating', sub_state: 'start' },
      ]);
      expect(await systemd.calls()).toContain('"RestartUnit",["nav.service","replace"]');
      const base = await restart('base/nav.service');
      expect([base.status, base.json]).toEqual([
        202,
        { system: 'base', service: 'nav.service', active_state: 'deactivating', sub_state: 'stop-sigterm' },
      ]);
      expect(asked()).toContain("'systemctl' 'restart' '--no-block' '--no-ask-password' '--' 'nav.service'");
    });

    it.each(['head', 'base'])(
      'of %s is 503 naming polkit when it is not allowed, and 404 without such a unit',
      async (system) => {
        const denied = await restart(`${system}/denied.service`);
        expect([denied.status, denied.json.code]).toEqual([503, 'component_unavailable']);
        expect(denied.json.detail).toMatch(/polkit.*manage-units.*verb restart/);
        const gone = await restart(`${system}/gone.service`);
        expect([gone.status, gone.json.code]).toEqual([404, 'not_found']);
      },
    );

    it.each([
      'head/robot-rest.service',
      'head/robot-rest-guard.service',
      'head/ssh.service',
      'head/--root=%2F.service',
      'arm/nav.service',
      'base/other.service',
    ])('%s is refused, and nobody is asked', async (unit) => {
      const before = [await systemd.calls(), asked()];
      const { status, json } = await restart(unit);
      expect([status, json.code]).toEqual([404, 'unit_not_allowed']);
      expect([await systemd.calls(), asked()].map((text) => text.length)).toEqual(before.map((text) => text.length));
    });

    it('is for ENCHANTER and ADMIN, and kept in the audit trail', async () => {
      const path = '/api/v2/service/head/nav.service/restart';
      expect((await service.as('USER', path, { method: 'POST' })).json.code).toBe('insufficient_access');
      await until('the entry', async () => {
        const { json } = await service.as('ENCHANTER', '/api/v2/audit/');
        return JSON.stringify(json).includes('"action":"service.restart"');
      });
    });

    it('is 503 while base, or the bus of head, is away', async () => {
      await sshd.stop();
      const base = await restart('base/nav.service');
      expect([base.status, base.json.code]).toEqual([503, 'component_unavailable']);
      await systemd.stop();
      const head = await restart('head/nav.service');
      expect([head.status, head.json.code]).toEqual([503, 'component_unavailable']);
    });
  });
});
