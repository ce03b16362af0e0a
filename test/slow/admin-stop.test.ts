import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { untilExists } from '../support/processes.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const NO_CONFIRMATION = '{"code":"stop_failed"}';

describe('robot-rest-admin stop, as the script is installed', () => {
  const folder = temporaryFolder();
  const guardDir = join(folder, 'guard');
  const script = join(folder, 'robot-rest-admin');
  const guards: Server[] = [];
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startProcess({ HOME: folder, SERVICE_STOP_PORT: '' });
    for (const path of [join(folder, 'current', 'deploy'), guardDir]) mkdirSync(path, { recursive: true });
    writeFileSync(
      join(folder, 'current', 'deploy', 'service.env'),
      `SERVICE_SOCKET_PATH=/nowhere/x\nSERVICE_GUARD_DIR="${guardDir}"\n`,
    );
    writeFileSync(join(folder, 'robot-rest.env'), `SERVICE_SOCKET_PATH=${service.socketPath}\n`);
    const installed = readFileSync(join(ROOT, 'deploy', 'robot-rest-admin'), 'utf8');
    writeFileSync(script, installed.replaceAll(/\/(opt|etc)\/robot-rest/g, folder), { mode: 0o755 });
  });
  afterEach(() => {
    for (const guard of guards.splice(0)) guard.close().closeAllConnections();
  });
  afterAll(() => service?.end('SIGKILL'));

  async function guardAnswers(answer: RequestListener): Promise<void> {
    const socket = join(guardDir, 'rest_api.sock.stop');
    guards.push(createServer(answer).listen(socket));
    await untilExists(socket);
  }

  const stop = () =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(script, ['stop'], { env: { PATH: process.env.PATH } }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  it('stops the robot through the service where there is no guard', async () => {
    const { code, stdout } = await stop();
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ stopped: true })]);
  });

  it('succeeds with the confirmation of the service while the guard does not answer', async () => {
    await guardAnswers(() => undefined);
    const { code, stdout } = await stop();
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ stopped: true })]);
  });

  describe('while the service is frozen', () => {
    beforeAll(() => void service.child.kill('SIGSTOP'));
    afterAll(() => void service.child.kill('SIGCONT'));

    it('succeeds with the confirmation of the guard', async () => {
      const asked: string[] = [];
      await guardAnswers((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.end('{"stopped":true,"fenced":false}');
      });
      const { code, stdout } = await stop();
      expect([code, JSON.parse(stdout)]).toEqual([0, { stopped: true, fenced: false }]);
      expect(asked).toEqual(['POST /api/v2/stop']);
    });
  });

  it('fails, with what each of the two said, when neither confirms', async () => {
    await service.end('SIGKILL');
    await guardAnswers((_request, response) => response.writeHead(503).end(NO_CONFIRMATION));
    const { code, stdout, stderr } = await stop();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/rest_api\.sock: connect E[A-Z]+/);
    expect(stderr).toContain(`rest_api.sock.stop: ${NO_CONFIRMATION}`);
  });
});
