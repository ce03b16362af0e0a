import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { startProcess } from '../support/process.ts';
import { temporaryFolder } from '../support/world.ts';

/** What arrives at a socket like systemd's: real datagrams, received by a program of its own. */
function notifySocket() {
  const path = join(temporaryFolder(), 'notify');
  const child = spawn('python3', [join(import.meta.dirname, '../support/notify-socket.py'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    path,
    /** Waits for this assignment; returns what came before it. */
    async until(wanted: RegExp): Promise<string[]> {
      const before: string[] = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the socket ended before ${wanted}`);
        if (wanted.test(value)) return before;
        before.push(value);
      }
    },
    end: () => child.kill('SIGKILL'),
  };
}

describeWith('systemd', '/usr/bin/systemd-notify', 'Under a service manager', () => {
  let socket: ReturnType<typeof notifySocket>;
  beforeAll(async () => {
    socket = notifySocket();
    await socket.until(/^bound$/);
  });
  afterAll(() => socket.end());

  it('the service says when it is ready, feeds the watchdog until the end, and says when it ends', async () => {
    const service = await startProcess({ NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '300000' });
    const early = await socket.until(/^READY=1$/);
    expect(early.filter((line) => line.startsWith('WATCHDOG='))).toEqual([]);
    expect(await socket.until(/^WATCHDOG=1$/)).toContainEqual(expect.stringContaining(`Listening on ${service.url}`));
    await socket.until(/^WATCHDOG=1$/);
    const [end] = await Promise.all([service.end(), socket.until(/^STOPPING=1$/)]);
    expect(end).toEqual({ code: 0, signal: null });
  }, 30_000);

  it('a service whose event loop is stuck feeds nothing', async () => {
    const service = await startProcess({ NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '300000' });
    await socket.until(/^WATCHDOG=1$/);
    service.child.kill('SIGSTOP'); // no loop turns in a stopped process
    const silence = Symbol('silence');
    const next = socket.until(/^WATCHDOG=1$/);
    // One that was on its way may still arrive; after it there is none.
    await Promise.race([next, pause(1000)]);
    const later = await Promise.race([socket.until(/^WATCHDOG=1$/), pause(1000).then(() => silence)]);
    expect(later).toBe(silence);
    service.child.kill('SIGCONT');
    await service.end('SIGKILL');
  }, 30_000);

  it('a watchdog that watches another process is not fed', async () => {
    const settings = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '30000', WATCHDOG_PID: '1' };
    const service = await startProcess(settings);
    await socket.until(/^READY=1$/);
    await service.end();
    const before = await socket.until(/^STOPPING=1$/);
    expect(before.filter((line) => line.startsWith('WATCHDOG='))).toEqual([]);
  }, 30_000);

  it('the service runs on when the service manager does not listen', async () => {
    const service = await startProcess({ NOTIFY_SOCKET: join(temporaryFolder(), 'nobody') });
    expect(await service.end()).toEqual({ code: 0, signal: null });
  }, 30_000);
});

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
