// Holds a stick forward: node jog-client.mjs <url of the service> <token> <lease>. Says "driving" once a frame has moved
// the robot, and from then on whatever it is refused.
import { WebSocket } from 'ws';

const [, , url, token, lease] = process.argv;
const FRAME_MS = 50;
const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v2/events`, {
  headers: { authorization: `Bearer ${token}` },
});
let seq = 0;
let stamp;
let said;

function say(what) {
  if (what !== said) process.stdout.write(`${what}\n`);
  said = what;
}

socket.on('open', () => {
  setInterval(() => {
    seq += 1;
    const velocity = stamp === undefined ? { vx: 0 } : { vx: 0.2 };
    socket.send(JSON.stringify({ type: 'jog', lease, ...velocity, vy: 0, wz: 0, seq, ...(stamp && { stamp }) }));
  }, FRAME_MS);
});
socket.on('message', (data) => {
  const message = JSON.parse(String(data));
  if (message.type !== 'jog_ack') return;
  if (stamp !== undefined && !message.waiting) say(message.error ? message.error.code : 'driving');
  stamp = message.stamp;
});
socket.on('error', () => undefined);
socket.on('close', (code) => say(`closed ${code}`));
