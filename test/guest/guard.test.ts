import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { GuardedGuest } from '../support/guarded-guest.ts';
import { BOOT_TIMEOUT_MS, PATIENCE } from '../support/guest.ts';
import { INSTALL } from '../support/installed-guest.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';

const GUARD = 'robot-rest-guard';
const ADMIN_STOP = 'robot-rest-admin stop';

describeWith('mosquitto', MOSQUITTO, 'The installed guard', () => {
  let world: GuardedGuest;

  beforeAll(async () => {
    world = await GuardedGuest.boot();
  }, BOOT_TIMEOUT_MS);
  afterAll(() => world?.close());

  const run = (line: string) => world.guest.run(line);
  const overPort = () => world.stop();
  const overSocket = () => world.stopOverSocket();
  const guardId = () => world.guardId();
  const mainId = () => world.mainId();

  it('runs and is enabled beside the service when the script ends', async () => {
    await world.bothRun();
    await world.whole();
    expect(await world.guardProblem()).toBeUndefined();
    expect((await world.installed.showUnit(GUARD, 'NRestarts')).NRestarts).toBe('0');
  });

  it('stops the robot over its port with a token, and over its socket', async () => {
    await world.fenced(overPort);
    await world.fenced(overSocket);
  });

  it('gives its socket to the group of the clients only', async () => {
    const path = '/tmp/rest_api.sock.stop';
    expect(await run(`readlink ${path}; stat -Lc %a:%U:%G ${path}`)).toBe(
      '/run/robot-rest-guard/rest_api.sock.stop\n660:robot-rest:robot-rest-clients\n',
    );
    const client = `require('node:net').connect('${path}').on('connect', () => process.exit())`;
    const attempt = (group: string) =>
      run(`setpriv --reuid nobody --regid nogroup --groups ${group} node -e "${client}"`);
    await attempt('robot-rest-clients');
    await expect(attempt('nogroup')).rejects.toThrow('EACCES');
  });

  it('keeps what it shares with the service from everybody else', async () => {
    const folder = '/run/robot-rest-guard';
    expect(await run(`stat -c %a:%U:%F ${folder} && cd ${folder} && stat -c %n:%a:%U * && stat -fc %T .`)).toBe(
      [
        '755:robot-rest:directory',
        'fence:600:robot-rest',
        'guard.sock:600:robot-rest',
        'identity.json:600:robot-rest',
        'rest_api.sock.stop:660:robot-rest',
        'tmpfs\n',
      ].join('\n'),
    );
  });

  it('has its own limits and weights, and is not tied to the unit of the service', async () => {
    expect(await world.installed.showUnit(GUARD, 'Restart', 'StartLimitIntervalUSec', 'RuntimeDirectory')).toEqual({
      Restart: 'always',
      StartLimitIntervalUSec: '0',
      RuntimeDirectory: GUARD,
    });
    const { ControlGroup, MainPID } = await world.installed.showUnit(GUARD, 'ControlGroup', 'MainPID');
    const main = await world.installed.show('ControlGroup');
    expect(ControlGroup).not.toBe(main.ControlGroup);
    const inForce = `cd /sys/fs/cgroup${ControlGroup} && cat memory.max cpu.weight pids.max /proc/${MainPID}/oom_score_adj`;
    expect(await run(inForce)).toBe(`${192 << 20}\n1000\n64\n-500\n`);
    expect(await run('systemctl list-dependencies --all --plain robot-rest-guard')).not.toContain('robot-rest.service');
    expect(await run('systemctl list-dependencies --all --plain robot-rest')).not.toContain(GUARD);
    const ties = ['Requires', 'BindsTo', 'PartOf', 'ConsistsOf', 'Conflicts', 'After', 'Before', 'PropagatesStopTo'];
    expect(await run(`systemctl show ${GUARD} -p ${ties.join(',')}`)).not.toContain('robot-rest.service');
  });

  it('runs as its own user, without a privilege and without a way to one', async () => {
    await world.installed.expectUnprivileged(await guardId());
  });

  it('has its watchdog fed by one helper', async () => {
    const id = await guardId();
    const helpers = () => run(`pgrep --parent ${id} --list-name`);
    const before = await helpers();
    expect(before).toMatch(/^\d+ python3\S*\n$/);
    const fedAt = async () =>
      Number((await world.installed.showUnit(GUARD, 'WatchdogTimestampMonotonic')).WatchdogTimestampMonotonic);
    const first = await fedAt();
    await until('the watchdog is fed', async () => (await fedAt()) > first, PATIENCE);
    expect(await helpers()).toBe(before);
    expect(await run(`grep ^WatchdogSec= /etc/systemd/system/${GUARD}.service`)).toBe('WatchdogSec=10\n');
  });

  describe('answers all the while, and is never restarted, when the unit of the service', () => {
    const isAnother = async (id: string | undefined) => {
      const now = await mainId();
      return now !== '0' && now !== id;
    };
    /** Memory that cannot be given back is more than this limit, which a new start of the unit lifts. */
    const exhaust = 'echo 8M > /sys/fs/cgroup/system.slice/robot-rest.service/memory.max || true';

    it.each<[string, string]>([
      ['is killed', 'systemctl kill --signal KILL robot-rest'],
      ['runs out of memory', exhaust],
      ['is restarted', 'systemctl restart robot-rest'],
    ])('%s', async (_how, line) => {
      const [guard, main] = [await guardId(), await mainId()];
      const answers = await world.stopDuring(async () => {
        await run(line);
        await until('the service is started again', () => isAnother(main), PATIENCE);
        await world.whole();
      });
      // A guest without processor time may lose the broker for a while; the guard answers that, too.
      const confirmed = answers.filter(({ status }) => status === 200);
      const unconfirmed = answers.filter((answer) => !confirmed.includes(answer));
      expect(unconfirmed.map(({ json }) => json.command_ran)).toEqual(unconfirmed.map(() => 'maybe'));
      expect(confirmed.filter(({ json }) => json.stopped === true && json.fenced === false)).not.toEqual([]);
      await world.fenced(overPort);
      expect(await guardId()).toBe(guard);
      expect((await world.installed.showUnit(GUARD, 'NRestarts')).NRestarts).toBe('0');
    });

    it('is killed by the kernel, as the case before says', async () => {
      expect(await run("journalctl -u robot-rest -o cat --grep 'oom-kill'")).toContain("Failed with result 'oom-kill'");
    });
  });

  describe('while the service is stopped', () => {
    let guard: string | undefined;

    beforeAll(async () => {
      guard = await guardId();
      const body = { value: { x: 0, y: 0, z: 0, theta: 36_000 } }; // ten minutes
      const call = { method: 'POST', body };
      const isTaken = async () =>
        (await world.installed.asAdmin('/api/v2/commands/go_to_relative/', call)).status === 200;
      await until('the command is taken', isTaken, PATIENCE);
      await until('the robot moves', () => world.robot.moves());
      await run('systemctl stop robot-rest');
    });
    afterAll(async () => {
      await run(`systemctl start robot-rest ${GUARD}`);
      await world.whole();
    });

    it('stops a robot that has gone on moving', async () => {
      expect(await world.installed.show('ActiveState')).toEqual({ ActiveState: 'inactive' });
      expect(world.robot.moves()).toBe(true);
      const { json } = await world.confirmed(overPort);
      expect(json).toMatchObject({ stopped: true, fenced: false });
      expect(world.robot.moves()).toBe(false);
      expect(await guardId()).toBe(guard);
    });

    it('is used by robot-rest-admin stop', async () => {
      expect(JSON.parse(await run(ADMIN_STOP))).toMatchObject({ stopped: true, fenced: false });
    });

    it('makes robot-rest-admin stop fail when it is stopped as well', async () => {
      await run(`systemctl stop ${GUARD}`);
      expect(await run(`${ADMIN_STOP} 2>&1 || echo code $?`)).toMatch(
        /rest_api\.sock: [\s\S]*rest_api\.sock\.stop: [\s\S]*code 1\n$/,
      );
    });
  });

  /** Waits until the service has said that the guard is missing, and then until another one is there. */
  async function expectReplaced(end: string): Promise<void> {
    const guard = await guardId();
    const main = await mainId();
    await run(end);
    const problem = await until('the service misses it', () => world.guardProblem().catch(() => undefined), PATIENCE);
    expect(problem).toContain('journalctl -u robot-rest-guard');
    await until('another guard is there', () => world.hasGuard(), PATIENCE);
    expect(await guardId()).not.toBe(guard);
    expect(await mainId()).toBe(main);
    await world.fenced(overPort);
    await world.fenced(overSocket);
  }

  it('is started again when it is killed, and readiness says so meanwhile', async () => {
    await expectReplaced(`systemctl kill --signal KILL ${GUARD}`);
  });

  it('is restarted by its watchdog when it hangs, and readiness says so meanwhile', async () => {
    await expectReplaced(`kill -STOP $(systemctl show -P MainPID ${GUARD})`);
    expect(await run(`journalctl -u ${GUARD} -o cat --grep 'Watchdog timeout'`)).toContain('Watchdog timeout');
  });

  it('is used by robot-rest-admin stop beside the service', async () => {
    expect(JSON.parse(await run(ADMIN_STOP))).toMatchObject({ stopped: true });
  });

  it('does not disturb robot-rest-admin link check, which finds the robot sound', async () => {
    const report = await run('robot-rest-admin link check');
    expect(report).toMatch(/^Robot robot-1: without --yes/);
    expect(report).toMatch(/^sound +answers /m);
    expect(report).toMatch(/^No faults found\./m);
  });

  it('is beside a link check that ends with status 2 when it cannot reach a robot', async () => {
    const check = `robot-rest-admin link check '${world.brokerUrl('/robot-2')}' 2>&1 || echo code $?`;
    expect(await run(check)).toBe('The robot robot-2 is not online: its presence is missing, or says so.\ncode 2\n');
  });

  describe('is a part of the installation: it', () => {
    const unitFile = `/etc/systemd/system/${GUARD}.service`;
    const gone = `ls ${unitFile} /tmp/rest_api.sock.stop 2>/dev/null || true; pgrep -f 'current/guard[.]js' || true`;

    it('is restarted by an upgrade', async () => {
      const guard = await guardId();
      await run('cp -R build newer && echo 97.0.0 > newer/build-id && newer/deploy/install.sh');
      await world.bothRun();
      await world.whole();
      expect(await guardId()).not.toBe(guard);
      await world.fenced(overPort);
    });

    it('goes with a rollback to a version without it, and comes back with the next', async () => {
      const without = `rm older/guard.js older/deploy/${GUARD}.service && sed -i '/GUARD_DIR/d;/sock.stop/d' older/deploy/{service.env,tmpfiles.conf}`;
      await run(`cp -R build older && echo 96.0.0 > older/build-id && ${without} && older/deploy/install.sh`);
      expect(await run(gone)).toBe('');
      await run('newer/deploy/install.sh');
      await world.bothRun();
      expect(await run('/opt/robot-rest/current/deploy/install.sh --rollback')).toBe('Now current: 96.0.0\n');
      expect((await world.installed.show('ActiveState')).ActiveState).toBe('active');
      expect(await run(gone)).toBe('');
      expect((await world.installed.showUnit(GUARD, 'LoadState', 'ActiveState')).ActiveState).toBe('inactive');
      expect(await run(`ls /etc/systemd/system/multi-user.target.wants`)).not.toContain(GUARD);
    });

    it('is removed with the service', async () => {
      await run(INSTALL);
      await world.bothRun();
      expect(await run('/opt/robot-rest/current/deploy/install.sh --uninstall')).toContain('Removed.');
      expect(await run(gone)).toBe('');
      expect(
        await run(
          'ls -d /run/robot-rest-guard /etc/systemd/system/robot-rest.service /opt/robot-rest 2>/dev/null || true',
        ),
      ).toBe('');
      expect(await run("systemctl list-units --all --plain --no-legend 'robot-rest*'")).toBe('');
    });
  });
});
