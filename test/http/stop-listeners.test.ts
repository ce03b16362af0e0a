import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HandedIdentity } from '../../local-host/guard/handed-identity.ts';
import { type Serving, StopListeners } from '../../local-host/guard/stop-listeners.ts';
import type { Stopper } from '../../local-host/guard/stopper.ts';
import { makeCertificate, OPENSSL } from '../support/certificates.ts';
import { describeWith } from '../support/components.ts';
import { http, problemIn } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { startTestService } from '../support/service.ts';
import { silentLogger, temporaryFolder, testConfig } from '../support/world.ts';

const STOP = '/api/v2/stop';
const POST = { method: 'POST' };

it('serves stop, and nothing else, beside a simulated robot from within the service', async () => {
  const socket = join(temporaryFolder(), 'rest.sock');
  const service = await startTestService({ settings: { SERVICE_STOP_PORT: '0', SERVICE_SOCKET_PATH: socket } });
  try {
    const { stop } = (await http(service.url, '/status')).json;
    expect(stop).toEqual({ port: expect.any(Number), tls_port: null, socket: `${socket}.stop` });
    const base = `http://127.0.0.1:${stop.port}`;
    const headers = { authorization: `Bearer ${await service.token('USER')}` };
    expect(await http(base, STOP, { ...POST, headers })).toMatchObject({ status: 200, json: { fenced: true } });
    expect((await http(base, STOP, POST)).status).toBe(401);
    expect((await http(base, '/api/v2/commands/', { headers })).status).toBe(404);
    expect(await http(stop.socket, STOP, POST)).toMatchObject({ status: 200, json: { stopped: true } });
  } finally {
    await service.stop();
  }
});

describe('The listeners of the guard', () => {
  const socket = join(temporaryFolder(), 'guard.stop');
  const identity = { verify: () => ({ clientId: 'c', accessLevel: 'USER', keyId: 'k' }) } as unknown as HandedIdentity; // as: all that is asked of it
  const report = Promise.resolve({ stopped: true });
  let acted = 0;
  const stop = () => {
    acted += 1;
    return { report, fenced: Promise.resolve(true) };
  };
  const stopper = { stop } as unknown as Stopper; // as: likewise
  const headers = { authorization: 'Bearer a.b.c' };
  const attackers: Socket[] = [];

  function open(settings: Record<string, string>) {
    const config = { ...testConfig({ SERVICE_STOP_PORT: '0', ...settings }), stopSocketPath: socket };
    const told: Serving[] = [];
    const listeners = new StopListeners({ config, logger: silentLogger, identity, stopper }, temporaryFolder(), (now) =>
      told.push(now),
    );
    return { listeners, told };
  }

  describe('under attack', () => {
    const { listeners, told } = open({});
    let port: number;
    beforeAll(async () => {
      await listeners.open();
      port = told[0]?.addresses.port ?? 0;
    });
    afterAll(() => {
      for (const attacker of attackers) attacker.destroy();
      listeners.close();
    });

    const attack = (to: number | string) => {
      const attacker = (typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to)).on('error', () => undefined);
      attackers.push(attacker);
      return attacker;
    };
    const stops = async () => {
      expect((await http(`http://127.0.0.1:${port}`, STOP, { ...POST, headers })).status).toBe(200);
      expect((await http(socket, STOP, POST)).status).toBe(200);
    };

    it.each<[string, (attacker: Socket) => void]>([
      ['nothing', () => undefined],
      ['garbage', (attacker) => attacker.write(Buffer.alloc(256 * 1024, 0xff))],
      ['a head without an end', (attacker) => attacker.write('POST /api/v2/stop HTTP/1.1\r\nX: ')],
      ['a huge head', (attacker) => attacker.write(`POST / HTTP/1.1\r\nX: ${'x'.repeat(1024 * 1024)}`)],
      [
        'a huge body',
        (attacker) => {
          attacker.write('POST /api/v2/stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n');
          attacker.write(Buffer.alloc(1024 * 1024));
        },
      ],
    ])('stop the robot while 500 connections send %s', async (_what, send) => {
      for (let count = 0; count < 250; count += 1) for (const to of [port, socket]) send(attack(to));
      await stops();
      for (const attacker of attackers.splice(0)) attacker.destroy();
    });

    it('act on the first stops that a connection pipelines, and close it for the fifth', async () => {
      const request = `POST ${STOP} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\n\r\n`;
      const before = acted;
      const attacker = attack(port);
      attacker.write(request.repeat(100));
      await once(attacker, 'close');
      await until('they have acted', () => acted === before + 4);
      await stops();
      expect(acted).toBe(before + 6);
    });

    it('answer what is no request with a problem', async () => {
      for (const to of [port, socket]) {
        const attacker = attack(to);
        let text = '';
        attacker.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        attacker.write('STOP NOW\r\n\r\n');
        await once(attacker, 'close');
        expect(problemIn(text)).toEqual({ status: 400, code: 'bad_request', type: 'application/problem+json' });
      }
    });

    it('make room for a stop while clients keep their connections after another', async () => {
      const request = `POST ${STOP} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\nContent-Length: 0\r\n\r\n`;
      for (let count = 0; count < 20; count += 1) {
        for (const to of [port, socket]) {
          const attacker = attack(to);
          attacker.write(request);
          await once(attacker, 'data');
        }
      }
      await stops();
    });
  });

  describeWith('openssl', OPENSSL, 'with a certificate', () => {
    it('serve TLS with it, and with the renewed one', async () => {
      const folder = temporaryFolder();
      const first = makeCertificate(folder, 'first');
      const { listeners, told } = open({
        SERVICE_TLS_PORT: '0',
        SERVICE_TLS_CERT_PATH: first.certPath,
        SERVICE_TLS_KEY_PATH: first.keyPath,
      });
      await listeners.open();
      try {
        const base = `https://127.0.0.1:${told[0]?.addresses.tls_port}`;
        expect((await http(base, STOP, { ...POST, headers, ca: first.cert })).status).toBe(200);
        const second = makeCertificate(folder, 'second');
        renameSync(second.keyPath, first.keyPath);
        renameSync(second.certPath, first.certPath);
        await until('the new certificate is served', async () => {
          const answer = http(base, STOP, { ...POST, headers, ca: second.cert });
          return answer.then(
            ({ status }) => status === 200,
            () => false,
          );
        });
      } finally {
        listeners.close();
      }
    });

    it('serve the rest when the certificate is invalid, and say so', async () => {
      const { certPath } = makeCertificate(temporaryFolder(), 'first');
      const { listeners, told } = open({ SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: certPath });
      await listeners.open();
      expect(told.at(-1)).toMatchObject({
        addresses: { port: expect.any(Number), tls_port: null, socket },
        problem: expect.stringContaining('SERVICE_TLS_KEY_PATH'),
      });
      listeners.close();
    });
  });
});
