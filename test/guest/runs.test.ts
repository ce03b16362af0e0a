import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_TIMEOUT_MS, PATIENCE } from '../support/guest.ts';
import { SETTINGS_PATH } from '../support/installed-guest.ts';
import { until } from '../support/processes.ts';
import { RunGuest } from '../support/run-guest.ts';
import { CLIMB, lookAround } from '../support/run-probes.ts';

const INSTALL = '/opt/robot-rest/current/deploy/install.sh';

describe('Runs of the installed service', () => {
  let runs: RunGuest;

  beforeAll(async () => {
    runs = await RunGuest.boot();
  }, BOOT_TIMEOUT_MS);
  afterAll(() => runs?.world.guest.stop());

  const unitOf = (id: string) => `robot-skill@${id}.service`;
  const mainId = async () => (await runs.world.show('MainPID')).MainPID;

  it('drive the robot through robot_rest, each in a unit of its own', async () => {
    const body = `await robot.mission(await robot.go_to_relative(x=0.1)).completed()
print("there")
return [(await robot.get_pose()).result["x"], robot.run_id]`;
    const run = await runs.complete('drive', body);
    expect(run).toMatchObject({ state: 'succeeded', sandbox: 'systemd', error: null });
    expect(run.result).toEqual([expect.closeTo(0.1, 2), run.id]);
    const { json } = await runs.world.asAdmin(`/api/v2/runs/${run.id}/logs`);
    expect(json.entries).toMatchObject([{ stream: 'stdout', message: 'there' }]);
    await runs.gone(run.id);
  });

  it('see nothing of the computer: no network, bus, file, device, key or process of others', async () => {
    const abstract = `require('node:net').createServer().listen('\\0robot-rest-abstract'); setTimeout(() => process.exit(), 600_000)`;
    await runs.world.guest.put('/root/abstract.cjs', abstract);
    await runs.sh('systemd-run --quiet --collect --unit=abstract node /root/abstract.cjs');
    const run = await runs.complete('look', lookAround(await mainId()));
    await runs.sh('systemctl stop abstract');
    expect(run.error).toBeNull();
    expect(run.result).toEqual({
      root: ['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'root', 'run', 'sys', 'tmp', 'usr', 'var'],
      etc: [],
      run: ['robot-rest', 'robot-rest-python', 'systemd'],
      exists: [],
      devices: [],
      written: [],
      reached: [],
      interfaces: ['lo'],
      signalled: [],
      others: [],
      capabilities: ['0000000000000000'],
      no_new_privs: '1',
      seccomp: '2',
      uid: true,
      environment: ['HOME', 'LANG', 'PATH', 'ROBOT_REST_EVENTS', 'ROBOT_REST_RUN', 'ROBOT_REST_SOCKET'],
    });
  });

  it('have no way to privileges: no namespace, mount, trace, setuid program or filter-free call', async () => {
    const { result, error } = await runs.complete('climb', CLIMB);
    expect(error).toBeNull();
    const { setuid, raw, ...others } = result;
    expect(Object.entries(others).filter(([, isRefused]) => !isRefused)).toEqual([]);
    expect([setuid, raw]).toEqual([false, []]);
  });

  it('have limits of memory, swap, tasks and processor that hold for all their processes together', async () => {
    const id = await runs.start('wait', 'print("waiting", flush=True)\nawait robot.sleep(3600)');
    await runs.printed(id, 'waiting');
    const cgroup = (await runs.sh(`systemctl show ${unitOf(id)} -P ControlGroup`)).trim();
    const files = ['memory.max', 'memory.swap.max', 'pids.max', 'cpu.max'];
    const values = await runs.sh(`cd '/sys/fs/cgroup${cgroup}' && cat ${files.join(' ')}`);
    expect(values).toBe(`${512 << 20}\n0\n64\n100000 100000\n`);
    await runs.world.asAdmin(`/api/v2/runs/${id}/stop`, { method: 'POST' });
    expect((await runs.ended(id)).state).toBe('stopped');
    await runs.gone(id);
  });

  it('are ended by the kernel when their memory is used up, in whatever form', async () => {
    const before = await mainId();
    const memory = 'x = []\nwhile True: x.append(b"x" * (1 << 24))';
    expect(await runs.complete('hog', memory)).toMatchObject({ state: 'failed', error: { code: 'killed' } });
    const shared = `import os
descriptor = os.memfd_create("x")
while True: os.write(descriptor, b"x" * (1 << 24))`;
    expect(await runs.complete('shared', shared)).toMatchObject({ state: 'failed', error: { code: 'killed' } });
    expect(await mainId()).toBe(before);
  });

  it('have a small /tmp, few tasks, and no way to flood the journal', async () => {
    const body = `import os, time
size = 0
try:
    for number in range(100):
        with open(f"/tmp/{number}", "wb") as file: size += file.write(bytes(1 << 20))
except OSError as error: full = error.strerror
children = 0
try:
    while children < 200:
        if os.fork() == 0:
            time.sleep(600); os._exit(0)
        children += 1
except OSError: pass
for _ in range(20000): print("flood " * 20)
return [full, size >> 20, children < 64]`;
    const run = await runs.complete('fill', body);
    expect([run.error, run.result]).toEqual([null, ['No space left on device', 64, true]]);
    expect(await runs.sh(`journalctl -u '${unitOf(run.id)}' -o cat`)).not.toContain('flood');
    await runs.gone(run.id);
  });

  it('fail with what systemd says of their end: status, signal, time', async () => {
    expect((await runs.complete('leave', 'import os; os._exit(7)')).error).toMatchObject({
      code: 'exited',
      message: expect.stringContaining('status 7'),
    });
    expect((await runs.complete('crash', 'import ctypes; ctypes.string_at(0)')).error).toMatchObject({
      code: 'killed',
      message: expect.stringContaining('SIGSEGV'),
    });
    const slow = await runs.complete('slow', 'await robot.sleep(3600)', { timeout_s: 1 });
    expect(slow).toMatchObject({ state: 'failed', error: { code: 'run_timeout' } });
  });

  const DEAF = `import os, signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["/usr/bin/sleep", "987654"], start_new_session=True)
print("deaf", flush=True)
while True:
    try:
        while True: pass
    except BaseException: pass`;

  it('end with everything they started when the robot is stopped, however deaf', async () => {
    const id = await runs.start('deaf', DEAF);
    await runs.printed(id, 'deaf');
    const { json } = await runs.world.asAdmin('/api/v2/stop', { method: 'POST' });
    expect(json).toMatchObject({ stopped: true, runs_stopped: [id] });
    expect((await runs.ended(id)).state).toBe('stopped');
    await runs.gone(id);
    expect(await runs.sh("pgrep -f '[s]leep 987654' || true")).toBe('');
  });

  it('end and are stopped when an administrator ends their unit', async () => {
    const id = await runs.start('wait', 'print("waiting", flush=True)\nawait robot.sleep(3600)');
    await runs.printed(id, 'waiting');
    await runs.sh(`systemctl stop ${unitOf(id)}`);
    expect((await runs.ended(id)).state).toBe('stopped');
  });

  it('end when the service is killed, and are lost', async () => {
    const id = await runs.start('deaf', DEAF);
    await runs.printed(id, 'deaf');
    const before = await mainId();
    await runs.sh('systemctl kill --signal KILL robot-rest');
    await runs.gone(id);
    expect(await runs.sh("pgrep -f '[s]leep 987654' || true")).toBe('');
    const isBack = async () => ![before, '0'].includes(await mainId());
    await until('the service is started again', isBack, PATIENCE);
    const state = () => runs.read(id).then(({ state }) => state);
    await until('the run is lost', async () => (await state().catch(() => '')) === 'lost', PATIENCE);
  });

  it('end, and are stopped, with a planned restart', async () => {
    const id = await runs.start('wait', 'print("waiting", flush=True)\nawait robot.sleep(3600)');
    await runs.printed(id, 'waiting');
    await runs.sh('systemctl restart robot-rest');
    await runs.gone(id);
    const state = () => runs.read(id).then(({ state }) => state);
    await until('its state can be read', async () => (await state().catch(() => '')) === 'stopped', PATIENCE);
  });

  it('give the service no other unit to start or end', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const call = (method: string, unit: string) =>
      `runuser -u robot-rest -- busctl --timeout=120 call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager ${method} ss ${unit} replace 2>&1 || true`;
    for (const unit of [
      'ap-home.service',
      `robot-skill-tmp@${id}.service`,
      'robot-skill@x.service',
      `robot-skill@${id}.timer`,
    ]) {
      expect([unit, await runs.sh(call('StopUnit', unit))]).toEqual([
        unit,
        expect.stringMatching(/denied|required|not loaded/),
      ]);
      expect([unit, await runs.sh(call('StartUnit', unit))]).toEqual([
        unit,
        expect.stringMatching(/denied|required|not found/),
      ]);
    }
    expect(await runs.sh(call('RestartUnit', unitOf(id)))).toMatch(/denied|required/);
  });

  /** Waits until the service that was restarted says what is wrong with runs. */
  async function refusal(): Promise<string> {
    await runs.sh('systemctl restart robot-rest');
    return until(
      'runs are refused',
      async () => {
        const { status, json } = await runs.post('nothing').catch(() => ({ status: 0, json: {} }));
        return status === 503 && String(json.detail);
      },
      PATIENCE,
    );
  }

  it('are refused while the settings and the units differ, until the installer has run', async () => {
    await runs.sh(`echo SERVICE_SKILL_MEMORY_MB=256 >> ${SETTINGS_PATH}`);
    expect(await refusal()).toMatch(/SERVICE_SKILL_MEMORY_MB.*install\.sh/);
    await runs.sh(INSTALL);
    const id = await runs.start('nothing', 'return None');
    expect((await runs.ended(id)).state).toBe('succeeded');
    expect(await runs.sh(`systemctl show ${unitOf(id)} -P MemoryMax`)).toBe(`${256 << 20}\n`);
  });

  it('are refused where polkit has no rule for them, which is named', async () => {
    await runs.sh('rm /etc/polkit-1/rules.d/50-robot-rest.rules && systemctl restart polkit');
    expect(await refusal()).toMatch(/polkit.*0\.106.*install\.sh/);
    await runs.sh(INSTALL);
    expect((await runs.complete('nothing', 'return None')).state).toBe('succeeded');
  });

  it('leave nothing behind when the service is removed', async () => {
    const id = await runs.start('wait', 'print("waiting", flush=True)\nawait robot.sleep(3600)');
    await runs.printed(id, 'waiting');
    expect(await runs.sh(`${INSTALL} --uninstall`)).toContain('Removed.');
    await runs.gone(id);
    expect(
      await runs.sh('ls -d /etc/systemd/system/robot-skill* /run/robot-rest* /run/robot-skill* 2>/dev/null || true'),
    ).toBe('');
  });
});
