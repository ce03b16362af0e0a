import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../functions/shared/config.ts';
import { StartError } from '../../local-host/start-error.ts';
import { http } from '../support/http.ts';
import { asNobody, giveToNobody } from '../support/nobody.ts';
import { startTestService } from '../support/service.ts';
import { loggerInto, temporaryFolder } from '../support/world.ts';

function writtenFile(): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  return path;
}

describe('The listeners', () => {
  it('listen on an IPv6 address', async () => {
    const service = await startTestService({ settings: { SERVICE_HOST: '::1' } });
    try {
      expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
      expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  it.each([
    ['an address of another machine', '192.0.2.1', 'This machine has no address 192.0.2.1. Set SERVICE_HOST.'],
    ['a name that nobody knows', 'robot.invalid', /(no address|Cannot listen on .*) ?.*Set SERVICE_HOST/],
  ])('reject %s with the setting to change', async (_what, host, message) => {
    const starting = startTestService({ settings: { SERVICE_HOST: host } });
    await expect(starting).rejects.toThrow(StartError);
    await expect(starting).rejects.toThrow(message);
  });

  it('give the socket to the configured group', async () => {
    const group = readFileSync('/etc/group', 'utf8')
      .split('\n')
      .find((line) => line.split(':')[2] === String(process.getgid?.()));
    const settings = { SERVICE_SOCKET_GROUP: group?.split(':')[0] ?? '' };
    const service = await startTestService({ settings });
    try {
      expect(statSync(service.socketPath).gid).toBe(process.getgid?.());
      expect((await http(service.socketPath, '/health/live')).status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  it.each([
    ['is not there', () => join(temporaryFolder(), 'missing', 'rest.sock'), 'ENOENT'],
    ['is a file', () => join(writtenFile(), 'rest.sock'), 'ENOTDIR'],
    ['takes no files, not even those of root', () => '/proc/rest.sock', 'EACCES'],
  ])('continue with TCP only and log it if the socket is in a folder that %s', async (_what, path, code) => {
    const lines: string[] = [];
    const logger = loggerInto(lines, 'warn');
    const settings = { SERVICE_SOCKET_PATH: path() };
    const service = await startTestService({ settings, logger });
    const { status, json } = await http(service.url, '/health/ready');
    await service.stop();
    expect([status, json.parts.socket.ok, service.socketPath]).toEqual([503, false, '']);
    expect(lines.join('')).toContain(
      `Cannot create the socket ${settings.SERVICE_SOCKET_PATH} (${code}). Set SERVICE_SOCKET_PATH. Continuing without`,
    );
  });

  it('name the process or user whose socket is in the way, in readiness and log, and end no token', async () => {
    const lines: string[] = [];
    const logger = loggerInto(lines, 'warn');
    const first = await startTestService();
    const file = writtenFile();
    for (const [path, owner] of [
      [first.socketPath, new RegExp(`process ${process.pid} \\(.+\\)`)],
      [file, /user \w+/],
    ] as const) {
      const service = await startTestService({ settings: { SERVICE_SOCKET_PATH: path }, logger });
      const { status, json } = await http(service.url, '/health/ready');
      await service.stop();
      expect([status, json.parts.socket.ok]).toEqual([503, false]);
      expect(json.parts.socket.reason).toMatch(owner);
      expect(json.parts.socket.reason).not.toContain(path);
      expect(lines.pop()).toMatch(owner);
    }
    expect((await http(first.socketPath, '/api/v2/auth/')).status).toBe(200);
    await first.stop();
  });

  it('open the socket even if another user has created a lock next to it', async () => {
    const socket = join(temporaryFolder(), 'rest.sock');
    mkdirSync(`${socket}.lock`);
    const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
    utimesSync(`${socket}.lock`, tomorrow, tomorrow); // never stale
    const service = await startTestService({ settings: { SERVICE_SOCKET_PATH: socket } });
    try {
      expect((await http(socket, '/health/live')).status).toBe(200);
      expect((await http(service.url, '/health/ready')).json.parts.socket).toEqual({ ok: true });
    } finally {
      await service.stop();
    }
  });

  it('reject a privileged port with the setting to change', async () => {
    const settings = { HOME: giveToNobody(temporaryFolder()), SERVICE_PORT: '80' };
    await asNobody(async () => {
      const starting = startTestService({ settings });
      await expect(starting).rejects.toThrow(StartError);
      await expect(starting).rejects.toThrow('may not listen on port 80. Set SERVICE_PORT to a port above 1023.');
    });
  });

  it('reject a socket path that is too long for the system', async () => {
    const path = join(temporaryFolder(), `${'long'.repeat(30)}.sock`);
    const starting = startTestService({ settings: { SERVICE_SOCKET_PATH: path } });
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow('SERVICE_SOCKET_PATH');
  });
});
