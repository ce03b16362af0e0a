import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { http } from '../../support/http.ts';
import { startTestService } from '../../support/service.ts';

it('disconnects a client that requests megabytes and does not read them, and frees its memory', async () => {
  const service = await startTestService({ limits: { sendTimeoutMs: 300, checkIntervalMs: 50 } });
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  socket.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(100));
  while (service.inFlight.size === 0) await pause(5);
  expect((await http(service.url, '/status')).status).toBe(200);
  while (service.inFlight.size > 0) await pause(20);
  expect((await http(service.url, '/status')).status).toBe(200);
  socket.destroy();
  await service.stop();
});
