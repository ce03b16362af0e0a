import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../support/certificates.ts';
import { describeWith } from '../support/components.ts';
import { openEvents } from '../support/event-client.ts';
import { freePort } from '../support/free-port.ts';
import { type HttpCall, http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { type RunningProgram, startSystemProgram } from '../support/system-programs.ts';
import { temporaryFolder } from '../support/world.ts';

interface Where {
  readonly port: number;
  readonly service: string;
  readonly folder: string;
  readonly certPath: string;
  readonly keyPath: string;
}

/** What is shipped, with the addresses and files of a test in place of those that an operator fills in. */
const shipped = (name: string, { port, service, certPath, keyPath, folder }: Where) =>
  readFileSync(join(ROOT, 'deploy', name), 'utf8')
    .replaceAll('127.0.0.1:8000', service)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/robot-rest/tls/fullchain.pem', certPath)
    .replace('/etc/robot-rest/tls/key.pem', keyPath)
    .replace('/var/log/nginx/access.log', join(folder, 'access.log'))
    .replace('\nrobot.example {\n', `\nhttps://localhost:${port} {\n\ttls ${certPath} ${keyPath}\n`);

const PROXIES = [
  {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    start(where: Where): RunningProgram {
      const { folder } = where;
      writeFileSync(join(folder, 'robot-rest.conf'), shipped('nginx.conf', where));
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (of) => `${of}_temp_path ${folder}/${of};`,
      );
      const lines = [
        'daemon off; master_process off;',
        `pid ${folder}/pid; error_log stderr;`,
        'events {}',
        `http { access_log off; gzip on; ${paths.join(' ')} include ${folder}/robot-rest.conf; }`,
      ];
      writeFileSync(join(folder, 'nginx.conf'), lines.join('\n'));
      return startSystemProgram(this.program, ['-c', join(folder, 'nginx.conf')], { folder });
    },
  },
  {
    name: 'Caddy',
    program: '/usr/bin/caddy',
    start(where: Where): RunningProgram {
      const { folder } = where;
      writeFileSync(join(folder, 'access.log'), ''); // as shipped, it logs no requests
      const file = join(folder, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${shipped('Caddyfile', where)}`);
      return startSystemProgram(this.program, ['run', '--adapter', 'caddyfile', '--config', file], { folder });
    },
  },
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    settings: { SERVICE_TRUSTED_PROXY: '127.0.0.1/32', SERVICE_ALLOWED_HOSTS: 'localhost' },
  });
});
afterAll(() => service.stop());

describe.each(PROXIES)('Behind $name as it is shipped', ({ name, program, start }) => {
  describeWith(name, program, 'a client', () => {
    let proxy: RunningProgram;
    let url: string;
    let ca: string;
    let folder: string;
    beforeAll(async () => {
      folder = temporaryFolder();
      const port = await freePort();
      const { cert, certPath, keyPath } = makeCertificate(folder, 'proxy');
      ca = cert;
      url = `https://localhost:${port}`;
      const address = service.url.replace('http://', '');
      proxy = start.call({ program } as (typeof PROXIES)[number], {
        port,
        service: address,
        folder,
        certPath,
        keyPath,
      }); // as: it needs no more of it
      await until(`${name} answers`, () => http(url, '/health/live', { ca }).catch(() => undefined));
    });
    afterAll(() => proxy.stop('SIGKILL'));

    const call = async (path: string, options: HttpCall = {}) =>
      http(url, path, {
        ...options,
        ca,
        headers: { authorization: `Bearer ${await service.token('ENCHANTER')}`, ...options.headers },
      });

    it('commands the robot and stops it', async () => {
      const moved = await call('/api/v2/commands/go_to_relative/', { method: 'POST', body: { value: { x: 1 } } });
      expect([moved.status, moved.json.result.called]).toEqual([200, true]);
      const stopped = await call('/api/v2/stop', { method: 'POST' });
      expect([stopped.status, stopped.json.stopped]).toEqual([200, true]);
    });

    it('loads a mesh by its signed URL, which no log keeps', async () => {
      const [mesh = ''] = (await call('/api/v2/urdf/pip.urdf?signed=true')).json.meshes;
      expect((await http(url, mesh, { ca })).status).toBe(200);
      expect((await call('/status')).status).toBe(200);
      const log = readFileSync(join(folder, 'access.log'), 'utf8');
      expect([log.includes('/status'), log.includes('meshes')]).toEqual([name === 'nginx', false]);
    });

    it('receives events over a WebSocket, as they happen', async () => {
      const client = openEvents(url, { token: await service.token('USER'), rejectUnauthorized: false });
      await client.next('its authentication', ({ type }) => type === 'authenticated');
      client.send({ type: 'subscribe', topics: ['safety'] });
      await client.next('the answer', ({ type }) => type === 'subscribed');
      await call('/api/v2/stop', { method: 'POST' });
      await client.next('the stop', (message) => JSON.stringify(message).includes('stop_confirmed'));
      client.socket.close();
    });

    it('is answered by the service when a body is too large', async () => {
      const { status, json } = await call('/api/v2/volume/', {
        method: 'POST',
        body: { volume: 'x'.repeat(3_000_000) },
      });
      expect([status, json.code]).toEqual([413, 'too_large']);
    });

    it('changes what it has read, and nothing that has changed since', async () => {
      const path = '/api/v2/llm_config/';
      const body = { command: 'system_prompt', value: `You are Pip. ${'You are kind. '.repeat(200)}` };
      expect((await call(path, { method: 'PATCH', body })).status).toBe(200);
      const { headers } = await call(path, { headers: { 'accept-encoding': 'gzip' } });
      const ifMatch = { 'if-match': String(headers.etag) };
      expect(headers['content-encoding']).toBe('gzip');
      const again = { ...body, value: `${body.value}You are ${name}.` };
      expect((await call(path, { method: 'PATCH', body: again, headers: ifMatch })).status).toBe(200);
      expect((await call(path, { method: 'PATCH', body, headers: ifMatch })).status).toBe(412);
    });
  });
});
