import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { until } from './processes.ts';

/** As the vendor's Python client connects. */
export function dialectClient(eventsUrl: string, token: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${eventsUrl}/?token=${token}`, { headers });
  const frames: string[] = [];
  let code: number | undefined;
  let refusedWith: number | undefined;
  socket.on('message', (data) => frames.push(String(data)));
  socket.on('close', (closeCode) => {
    code = closeCode;
  });
  socket.on('error', () => undefined);
  socket.on('unexpected-response', (_request, response) => {
    refusedWith = response.statusCode;
    response.resume();
  });
  return {
    socket,
    frames,
    act: (action: object | string) => socket.send(typeof action === 'string' ? action : JSON.stringify(action)),
    opened: () => until('the connection is open', () => socket.readyState === WebSocket.OPEN),
    async closed() {
      await until('the connection is closed', () => code !== undefined);
      return code;
    },
    async refused() {
      await until('the connection is refused', () => refusedWith !== undefined);
      return refusedWith;
    },
    /** Waits until what was sent so far has been worked off. */
    async settle() {
      const marker = randomUUID();
      const frame = JSON.stringify({ name: marker, type: 'str', data: '' });
      socket.send(JSON.stringify({ action: 'subscribe', topic: marker }));
      socket.send(JSON.stringify({ action: 'publish', topic: marker, data: frame }));
      await until('it is settled', () => frames.includes(frame));
      frames.splice(frames.indexOf(frame), 1);
    },
  };
}
