/**
 * A minimal event server with `ws` alone, without tokens, topics, snapshots, history or limits. `POST /state` makes it
 * send a state to every client 20 times per second, and `POST /event` sends one event. With ROBOT_URL, it passes on what
 * a client sends to that rosbridge server as a velocity.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';

const state = (at: number) => ({
  specversion: '1.0',
  id: `bare-${at}`,
  source: '/robots/bench',
  type: 'robot.state.changed',
  time: new Date(at).toISOString(),
  data: {
    pose: { x: at % 1000, y: 0, z: 0, theta: 0 },
    velocity: { linear: 0.5, angular: 0 },
    battery: { level: 100, charging: false },
    moving: true,
    mode: 'sim',
    link: 'connected',
    volume: { level: 50, muted: false },
    simulated: true,
  },
});

function broadcast(): void {
  const text = JSON.stringify({ type: 'event', event: state(Date.now()) });
  for (const client of clients.clients) client.send(text);
}

const server = createServer((request, response) => {
  if (request.url === '/state') setInterval(broadcast, 50);
  else broadcast();
  response.writeHead(204).end();
});
const clients = new WebSocketServer({ server });
const robot = process.env.ROBOT_URL ? new WebSocket(process.env.ROBOT_URL) : undefined;
clients.on('connection', (client) =>
  client.on('message', (data) => {
    const { vx } = JSON.parse(String(data));
    const msg = { linear: { x: vx, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } };
    robot?.send(JSON.stringify({ op: 'publish', topic: '/cmd_vel', msg }));
  }),
);
if (robot) await once(robot, 'open');
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
