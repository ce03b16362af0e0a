import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { freshEnvironment, launch, startProcess } from '../support/process.ts';
import { descendantsOf } from '../support/processes.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const sockets: ChildProcess[] = [];
afterAll(() => {
  for (const socket of sockets) socket.kill('SIGKILL');
});

/** A socket like systemd's with all that arrived so far: real datagrams, received by a program of its own. */
async function notifySocket() {
  const path = join(temporaryFolder(), 'notify');
  const program = join(import.meta.dirname, '../support/notify-socket.py');
  const child = spawn('python3', [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  sockets.push(child);
  const lines: string[] = [];
  const news = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const until = async (isEnough: (lines: readonly string[]) => boolean) => {
    while (!isEnough(lines)) await once(news, 'line');
  };
  await until(() => lines.includes('bound'));
  return { path, lines, until };
}

const feedings = (lines: readonly string[]) => lines.filter((line) => line === 'WATCHDOG=1').length;

describeWith('systemd', '/usr/bin/systemd-notify', 'Under a service manager', () => {
  it('reports readiness, feeds the watchdog until the end, and reports shutdown', async () => {
    const { path, lines, until } = await notifySocket();
    const service = await startProcess({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '300000' });
    await until(() => feedings(lines) >= 3);
    expect(lines.slice(0, 3)).toEqual(['bound', 'READY=1', expect.stringMatching(/^STATUS=Listening on http:/)]);
    expect(lines[2]).toContain(service.url);
    expect(await service.end()).toEqual({ code: 0, signal: null });
    await until(() => lines.includes('STOPPING=1'));
  });

  it('does not feed the watchdog while its event loop is blocked', async () => {
    const { path, lines, until } = await notifySocket();
    const service = await startProcess({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '90000' });
    await until(() => feedings(lines) >= 1);
    service.child.kill('SIGSTOP'); // no loop turns in a stopped process
    await pause(1000); // what was on its way has arrived
    const before = feedings(lines);
    await pause(1000);
    expect(feedings(lines)).toBe(before);
    service.child.kill('SIGCONT');
    await until(() => feedings(lines) > before);
    await service.end();
  });

  it('does not feed a watchdog of another process', async () => {
    const { path, lines, until } = await notifySocket();
    const service = await startProcess({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '30000', WATCHDOG_PID: '1' });
    await until(() => lines.includes('READY=1'));
    await pause(500);
    await service.end();
    await until(() => lines.includes('STOPPING=1'));
    expect(feedings(lines)).toBe(0);
  });

  it('keeps running if the service manager does not respond', async () => {
    const service = await startProcess({ NOTIFY_SOCKET: join(temporaryFolder(), 'nobody') });
    expect((await http(service.url, '/status')).status).toBe(200);
    expect(await service.end()).toEqual({ code: 0, signal: null });
  });

  it('reports readiness and feeds the watchdog of the guard without Python', async () => {
    const { path, lines, until } = await notifySocket();
    const folder = temporaryFolder();
    symlinkSync('/usr/bin/systemd-notify', join(folder, 'systemd-notify'));
    const environment = { ...freshEnvironment({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '300000' }), PATH: folder };
    const { child } = launch([], environment, join(ROOT, 'dist/current/guard.js'));
    await until(() => feedings(lines) >= 3);
    expect(lines).toContain('READY=1');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });

  it('reports readiness and feeds the watchdog of the guard through one helper', async () => {
    const { path, lines, until } = await notifySocket();
    const environment = freshEnvironment({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '300000' });
    const { child } = launch([], environment, join(ROOT, 'dist/current/guard.js'));
    await until(() => feedings(lines) >= 5);
    expect(lines.slice(0, 3)).toEqual(['bound', 'READY=1', 'WATCHDOG=1']);
    const helpers = descendantsOf(child.pid);
    expect(helpers).toHaveLength(1);
    await until(() => feedings(lines) >= 10);
    expect(descendantsOf(child.pid)).toEqual(helpers);
    child.kill('SIGSTOP'); // no loop turns in a stopped process
    await pause(1000); // what was on its way has arrived
    const before = feedings(lines);
    await pause(1000);
    expect(feedings(lines)).toBe(before);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
});

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
