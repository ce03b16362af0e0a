import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { collect } from '../../functions/shared/kit/child-process/run.ts';
import type { Command, Machine } from '../../functions/system/services/adapters/machine.ts';
import { sshMachine } from '../../functions/system/services/adapters/ssh.ts';
import { describeWith } from '../support/components.ts';
import { processesWith, until } from '../support/processes.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { testConfig } from '../support/world.ts';

const never = new AbortController().signal;

describeWith('sshd', SSHD, 'The base computer over a real sshd', () => {
  const sshd = new TestSshd();
  const machines: Machine[] = [];

  function base(settings: Record<string, string> = {}): Machine {
    const machine = sshMachine(testConfig({ SERVICE_MODE: 'robot', ...sshd.settings(), ...settings }));
    machines.push(machine);
    return machine;
  }
  async function run(machine: Machine, words: Command, { signal = never, timeLimit = 10_000 } = {}) {
    return collect(await machine.start(words, { signal, timeLimit }), words[0]);
  }

  beforeAll(() => sshd.start());
  afterEach(() => {
    for (const machine of machines.splice(0)) machine.close();
  });
  afterAll(() => sshd.stop());

  it('passes every argument unchanged, whatever a shell would make of it', async () => {
    const words = [
      "it's",
      '$(id)',
      '`id`',
      'a;id',
      '*',
      '',
      ' two  words ',
      '-n',
      '\\',
      'line\nfeed',
      '"',
      '~',
      'ü€😀',
    ];
    const { stdout, code } = await run(base(), ['printf', '%s|', ...words]);
    expect(stdout).toBe(words.map((word) => `${word}|`).join(''));
    expect(code).toBe(0);
  });

  it('returns exit code and standard error', async () => {
    expect(await run(base(), ['sh', '-c', 'echo trouble >&2; exit 3'])).toMatchObject({ code: 3, stderr: 'trouble' });
  });

  it('uses one connection for many commands', async () => {
    const machine = base();
    const peers = await Promise.all(
      Array.from({ length: 5 }, () => run(machine, ['sh', '-c', 'echo "$SSH_CONNECTION"'])),
    );
    expect(new Set(peers.map(({ stdout }) => stdout)).size).toBe(1);
  });

  it('rejects a host with a different key, even if it offers other key types', async () => {
    const machine = base({ SERVICE_BASE_HOST_KEY: sshd.publicKey('other') });
    await expect(run(machine, ['true'])).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('SERVICE_BASE_HOST_KEY'),
    });
  });

  it('accepts a pinned RSA key of a host with several keys', async () => {
    const machine = base({ SERVICE_BASE_HOST_KEY: sshd.publicKey('host-rsa') });
    expect((await run(machine, ['echo', 'in'])).stdout).toBe('in\n');
  });

  it('names the setting to blame when authentication fails', async () => {
    const broken = join(sshd.folder, 'broken');
    writeFileSync(broken, 'no key');
    chmodSync(broken, 0o600);
    const cases = [
      [{ SERVICE_BASE_KEY_PATH: join(sshd.folder, 'other') }, 'does not accept the key'],
      [{ SERVICE_BASE_KEY_PATH: join(sshd.folder, 'absent') }, 'cannot be read'],
      [{ SERVICE_BASE_KEY_PATH: broken }, 'not an unencrypted private key'],
      [{ SERVICE_BASE_HOST: '' }, 'Set SERVICE_BASE_HOST'],
      [{ SERVICE_BASE_PORT: '1' }, 'ECONNREFUSED'],
    ] as const;
    for (const [settings, words] of cases)
      await expect(run(base(settings), ['true'])).rejects.toMatchObject({ message: expect.stringContaining(words) });
  });

  describe('ends the remote command', () => {
    it.each([
      ['when the caller leaves', 600_000, true],
      ['when its time is up', 700, false],
    ])('%s', async (_when, timeLimit, leaves) => {
      const mark = `mark-${Math.random()}`;
      const controller = new AbortController();
      const work = run(base(), ['sh', '-c', `while echo ${mark}; do sleep 0.05; done`], {
        signal: controller.signal,
        timeLimit,
      });
      work.catch(() => {});
      if (leaves) {
        await until('it runs', () => processesWith(mark).length > 0);
        controller.abort(new Error('left'));
      }
      await expect(work).rejects.toThrow(leaves ? 'left' : 'did not end');
      await until('it is gone', () => processesWith(mark).length === 0);
    });
  });

  it('ends a command with too much output', async () => {
    const running = await base().start(['yes', 'much'], { signal: never, timeLimit: 10_000 });
    await expect(collect(running, 'yes', 100_000)).rejects.toMatchObject({ kind: 'output-cap' });
  });

  it('replaces a dead connection by one new one for all waiting commands', async () => {
    const machine = base();
    await run(machine, ['true']);
    const sessions = sshd.sessions();
    for (const pid of sessions) process.kill(pid, 'SIGSTOP');
    const peers = await Promise.all([1, 2, 3].map(() => run(machine, ['sh', '-c', 'echo "$SSH_CONNECTION"'])));
    expect(new Set(peers.map(({ stdout }) => stdout)).size).toBe(1);
    for (const pid of sessions) process.kill(pid, 'SIGKILL');
  });

  it('reconnects after the connection was lost', async () => {
    const machine = base();
    await run(machine, ['true']);
    await sshd.stop();
    await expect(run(machine, ['true'])).rejects.toMatchObject({ kind: 'unreachable' });
    await sshd.start();
    await until('it is back', () =>
      run(machine, ['true']).then(
        () => true,
        () => false,
      ),
    );
  });
});
