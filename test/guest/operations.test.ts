import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_TIMEOUT_MS, type Guest, PATIENCE } from '../support/guest.ts';
import { InstalledGuest, SETTINGS, SETTINGS_PATH } from '../support/installed-guest.ts';
import { until } from '../support/processes.ts';
import { unpackAny } from '../support/robot-archive.ts';
import { temporaryFolder } from '../support/world.ts';

const run = promisify(execFile);

const OWN = 'robot-rest.service,robot-rest-guard.service';
const RESTARTABLE = `head=lab-good.service,lab-slow.service,lab-stubborn.service,${OWN};base=lab-*.service`;

/** Units of a robot: one that works, one that never gets ready, one that does not end, and one that is nobody's business. */
const UNITS = {
  'lab-good': '[Service]\nExecStart=sleep infinity\n',
  'lab-slow': '[Service]\nType=notify\nTimeoutStartSec=infinity\nExecStart=sleep infinity\n',
  'lab-stubborn': `[Service]\nTimeoutStopSec=infinity\nExecStart=sh -c 'trap "" TERM; while :; do sleep 1; done'\n`,
  'lab-other': '[Service]\nExecStart=sleep infinity\n',
};

/** The guest is its own base, reached over its sshd. */
async function prepare(guest: Guest): Promise<string> {
  for (const [name, text] of Object.entries(UNITS)) await guest.put(`/etc/systemd/system/${name}.service`, text);
  await guest.run('systemctl daemon-reload; systemctl start lab-good lab-stubborn lab-other');
  const { SERVICE_BASE_KEY_PATH: key = '', SERVICE_BASE_HOST_KEY: hostKey } = guest.settings;
  await guest.put('/etc/robot-rest/base-key', readFileSync(key, 'utf8'));
  return `${SETTINGS}SERVICE_RESTARTABLE_UNITS="${RESTARTABLE}"
SERVICE_BASE_HOST=127.0.0.1
SERVICE_BASE_USER=root
SERVICE_BASE_KEY_PATH=/etc/robot-rest/base-key
SERVICE_BASE_HOST_KEY="${hostKey}"
`;
}

describe('An operator of an installed robot', () => {
  let world: InstalledGuest;
  beforeAll(async () => {
    world = await InstalledGuest.boot(prepare);
    await world.guest.run('chown robot-rest /etc/robot-rest/base-key; chmod 600 /etc/robot-rest/base-key');
  }, BOOT_TIMEOUT_MS);
  afterAll(() => world?.guest.stop());

  const restart = async (unit: string) => {
    const { status, json } = await world.asAdmin(`/api/v2/service/${unit}/restart`, { method: 'POST' });
    return { status, json };
  };
  const startOf = (unit: string) => world.guest.run(`systemctl show -P ExecMainStartTimestampMonotonic ${unit}`);
  const stateOf = async (unit: string) => (await world.guest.run(`systemctl show -P ActiveState ${unit}`)).trim();
  const expectAlive = async () => {
    const { status } = await world.asAdmin('/api/v2/stop', { method: 'POST' });
    expect(status).toBe(200);
  };

  describe('restarts a unit that the settings list', () => {
    it.each(['head', 'base'])('on %s', async (system) => {
      const before = await startOf('lab-good');
      const { status, json } = await restart(`${system}/lab-good.service`);
      expect(status).toBe(202);
      expect(json).toEqual({
        system,
        service: 'lab-good.service',
        active_state: expect.stringMatching(/^(active|activating|deactivating|inactive)$/),
        sub_state: expect.any(String),
      });
      const again = async () => (await startOf('lab-good')) !== before && (await stateOf('lab-good')) === 'active';
      await until('it runs again', again, PATIENCE);
    });

    it.each([
      ['head', 'lab-slow', 'activating'],
      ['head', 'lab-stubborn', 'deactivating'],
      ['base', 'lab-stubborn', 'deactivating'],
    ])('on %s, and gets the true state of %s, which hangs while it is %s', async (system, unit, state) => {
      const { status, json } = await restart(`${system}/${unit}.service`);
      expect([status, json.active_state]).toEqual([202, state]);
      await expectAlive();
      const listed = async () => {
        const { head } = (await world.asAdmin('/api/v2/service/get_services_list')).json;
        if (!Array.isArray(head)) return false; // slower than a robot may be
        return head.find(({ name }: { name: string }) => name === `${unit}.service`).active_state === state;
      };
      await until('the list says so', listed, PATIENCE);
      expect(await stateOf(unit)).toBe(state);
    });

    it('that hangs already, and gets the same answer', async () => {
      const { status, json } = await restart('head/lab-stubborn.service');
      expect([status, json.active_state]).toEqual([202, 'deactivating']);
      await world.guest.run('systemctl kill -s KILL lab-stubborn lab-slow || true');
    });
  });

  it('restarts no unit beside these, and never the service and its guard', async () => {
    const before = await world.show('MainPID');
    for (const unit of ['lab-other.service', 'robot-rest.service', 'robot-rest-guard.service', 'ssh.service']) {
      expect([unit, (await restart(`head/${unit}`)).json.code]).toEqual([unit, 'unit_not_allowed']);
    }
    expect(await world.show('MainPID')).toEqual(before);
  });

  describe('has a service to which polkit', () => {
    const manager = 'org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager';
    const ask = (verb: string, unit: string) =>
      world.guest.run(`runuser -u robot-rest -- busctl --timeout=120 call ${manager} ${verb} ss ${unit} replace 2>&1`);

    it('allows the restart of a listed unit', async () => {
      expect(await ask('RestartUnit', 'lab-good.service')).toMatch(/^o "\/org\/freedesktop\/systemd1\/job\//);
    });

    it.each([
      ['RestartUnit', 'lab-other.service'],
      ['StopUnit', 'lab-good.service'],
      ['StartUnit', 'lab-good.service'],
      ['RestartUnit', 'ssh.service'],
    ])('refuses %s of %s', async (verb, unit) => {
      await expect(ask(verb, unit)).rejects.toMatchObject({
        stdout: expect.stringMatching(/[Aa]ccess denied|[Aa]uthentication required/),
      });
    });

    it('refuses a unit that was added to the settings without a run of install.sh, which it says', async () => {
      const settings = await world.guest.run(`cat ${SETTINGS_PATH}`);
      await world.guest.put(SETTINGS_PATH, settings.replace('head=lab-good', 'head=lab-other.service,lab-good'));
      await world.guest.run('systemctl restart robot-rest');
      const before = await startOf('lab-other');
      const { status, json } = await restart('head/lab-other.service');
      expect([status, json.code]).toEqual([503, 'component_unavailable']);
      expect(json.detail).toContain('polkit does not let this user restart lab-other.service');
      expect(await startOf('lab-other')).toBe(before);
    });
  });

  describe('finds TLS', () => {
    const file = join(temporaryFolder(), 'robot.crt');
    let own: string;
    beforeAll(async () => {
      own = await world.guest.run('robot-rest-admin certificate');
      writeFileSync(file, await world.guest.run('robot-rest-admin certificate --pem'));
    });
    const curl = async (...words: string[]) => {
      const socket = await world.guest.reach('127.0.0.1:8443');
      return run('curl', ['-sS', '--unix-socket', socket, ...words, 'https://localhost:8443/status']);
    };

    it('with the fingerprint that install.sh printed, over restarts', async () => {
      expect(own).toMatch(/^SHA-256 fingerprint: ([0-9A-F]{2}:){31}[0-9A-F]{2}$/m);
      expect(world.installed).toContain(own);
    });

    it('trusted by curl with the certificate, and with the pin of its key', async () => {
      const [pin = ''] = /sha256\/\/\S+/.exec(own) ?? [];
      expect(JSON.parse((await curl('--cacert', file)).stdout).status).toBe('ok');
      expect(JSON.parse((await curl('--insecure', '--pinnedpubkey', pin)).stdout).status).toBe('ok');
      await expect(curl()).rejects.toThrow(/self.signed/);
    });

    it('with a key that only the service can read', async () => {
      expect(await world.guest.run('stat -c %a:%U:%G /var/lib/robot-rest/tls-key.pem')).toBe(
        '600:robot-rest:robot-rest\n',
      );
    });

    it('for its new address soon, with the same key', async () => {
      await world.guest.run('ip address add 10.77.1.5/24 dev eth0');
      const changed = async () => (await world.guest.run('robot-rest-admin certificate')).includes('10.77.1.5');
      await until('the certificate has it', changed, 2 * PATIENCE);
      const [pin] = /sha256\/\/\S+/.exec(own) ?? [];
      expect(await world.guest.run('robot-rest-admin certificate')).toContain(pin);
    });
  });

  it('does the rest with robot-rest-admin: tables, snapshots, units and logs', async () => {
    await world.guest.put('/root/places.csv', 'id,color\nhall,blue\n');
    const admin = (words: string) => world.guest.run(`cd /root && robot-rest-admin ${words}`);
    expect(await admin('tables upload known_locations_table places.csv --dry-run')).toContain('"inserted":1');
    expect(await admin('tables upload known_locations_table places.csv')).toContain('"inserted":1');
    expect(await admin('tables download known_locations_table')).toBe('id,color\r\nhall,blue\r\n');
    const { backup } = JSON.parse(await admin('backups create'));
    await admin(`backups download ${backup}`);
    expect(await world.guest.run(`head -c 15 /root/${backup}`)).toBe('SQLite format 3');
    expect(await admin('services restart head lab-good.service 2>/dev/null')).toContain('"service":"lab-good.service"');
    expect(await admin('services logs head robot-rest.service --lines 3')).toMatch(/^(\d{4}-.*\n)/);
    await expect(admin('services restart head ssh.service')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(unit_not_allowed)'),
    });
    expect(await admin('--help')).toContain('Usage: robot-rest-admin');
  });

  it('gets an error that names base when it is unreachable, while head goes on', async () => {
    const settings = await world.guest.run(`cat ${SETTINGS_PATH}`);
    await world.guest.put(SETTINGS_PATH, settings.replace('BASE_HOST=127.0.0.1', 'BASE_HOST=192.0.2.1'));
    await world.guest.run('systemctl restart robot-rest');
    const { status, json } = await restart('base/lab-good.service');
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toMatch(/base/);
    expect((await restart('head/lab-good.service')).status).toBe(202);
    await expectAlive();
    const body = { units: ['head/lab-good.service'] };
    const { bytes } = await world.asAdmin('/api/v2/incident/', { method: 'POST', body });
    const folder = unpackAny(bytes);
    expect(readFileSync(join(folder, 'logs/0001.log'), 'utf8')).toMatch(/ head lab-good\.service 6 \[1\] .*Started/);
    const { problems } = JSON.parse(readFileSync(join(folder, 'incident.json'), 'utf8'));
    expect(problems.map(({ part }: { part: string }) => part)).toEqual(['clock-base.json']);
  });
});
