import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../functions/shared/config.ts';
import { createLogger } from '../../functions/shared/logger.ts';
import { StartError } from '../../local-host/start-error.ts';
import { http } from '../support/http.ts';
import { asNobody, giveToNobody } from '../support/nobody.ts';
import { startTestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

function writtenFile(): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  return path;
}

describe('Where the service listens', () => {
  it('may be an IPv6 address', async () => {
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
    ['a name that nobody knows', 'robot.invalid', /(no address|listened on .*) ?.*Set SERVICE_HOST/],
  ])('is no place that is %s', async (_what, host, message) => {
    const starting = startTestService({ settings: { SERVICE_HOST: host } });
    await expect(starting).rejects.toThrow(StartError);
    await expect(starting).rejects.toThrow(message);
  });

  it('is a socket of the group that the setting names', async () => {
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
  ])('is TCP alone where the socket lies in a folder that %s, which the log says', async (_what, path, code) => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
    const settings = { SERVICE_SOCKET_PATH: path() };
    const service = await startTestService({ settings, logger });
    const { status, json } = await http(service.url, '/health/ready');
    await service.stop();
    expect([status, json.parts.socket.ok, service.socketPath]).toEqual([503, false, '']);
    expect(lines.join('')).toContain(
      `The socket ${settings.SERVICE_SOCKET_PATH} cannot be made (${code}). Set SERVICE_SOCKET_PATH. The service goes on without`,
    );
  });

  it('is a socket also where another user has put a lock beside it', async () => {
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

  it('is no port that only root may have, which is said with the setting', async () => {
    const settings = { HOME: giveToNobody(temporaryFolder()), SERVICE_PORT: '80' };
    await asNobody(async () => {
      const starting = startTestService({ settings });
      await expect(starting).rejects.toThrow(StartError);
      await expect(starting).rejects.toThrow('may not listen on port 80. Set SERVICE_PORT to one above 1023.');
    });
  });

  it('is no socket whose path is longer than the system takes', async () => {
    const path = join(temporaryFolder(), `${'long'.repeat(30)}.sock`);
    const starting = startTestService({ settings: { SERVICE_SOCKET_PATH: path } });
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow('SERVICE_SOCKET_PATH');
  });
});
