import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { readInTurns } from '../../../../functions/shared/robot-link/adapters/rosbridge/read-in-turns.ts';

const CHUNK = 64 * 1024;
const FLOOD = 4 * 1024 * 1024;
const CONNECTIONS = 8;

let server: WebSocketServer;
beforeEach(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

it('reads one chunk per turn of the event loop from a flood over several connections', async () => {
  let received = 0;
  let inTurn = 0;
  let mostInTurn = 0;
  let mostInLine = 0;
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`); // as: it listens on TCP
    let stream: Socket | undefined;
    socket.once('upgrade', (response) => {
      stream = response.socket.on('data', (chunk: Buffer) => {
        inTurn += chunk.length;
        received += chunk.length;
      });
    });
    await once(socket, 'open');
    if (stream) readInTurns(socket, stream);
  }
  for (const client of server.clients) client.send(Buffer.alloc(FLOOD));
  while (received < CONNECTIONS * FLOOD) {
    await new Promise((resolve) => setImmediate(resolve));
    mostInTurn = Math.max(mostInTurn, inTurn);
    if (received > 4 * CONNECTIONS * CHUNK) mostInLine = Math.max(mostInLine, inTurn);
    inTurn = 0;
  }
  // The first chunk of each connection may come in one turn, before they have lined up.
  expect(mostInTurn).toBeLessThanOrEqual(CONNECTIONS * CHUNK);
  // Later one at a time, or a few: a chunk that was slow to come may meet the next connection's.
  expect(mostInLine).toBeLessThanOrEqual(3 * CHUNK);
});
