// Holds a stick forward: node jog-client.mjs <url of the service> <token> <lease>. Says "driving" once a frame has moved
// the robot, and whatever it is refused. Until it drives it lets go after a refusal and pushes again, as a hand would: on
// a busy machine its first frames can come too late. From then on it holds.
import { WebSocket } from 'ws';

const [, , url, token, lease] = process.argv;
const FRAME_MS = 50;
const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v2/events`, {
  headers: { authorization: `Bearer ${token}` },
});
let seq = 0;
let stamp;
let said;
/** The frame with which the stick was pushed; undefined while it is let go. */
let pushedAt;
let hasDriven = false;
let hand;

function say(what) {
  if (what !== said) process.stdout.write(`${what}\n`);
  said = what;
}

socket.on('open', () => {
  hand = setInterval(() => {
    seq += 1;
    const vx = pushedAt === undefined ? 0 : 0.2;
    socket.send(JSON.stringify({ type: 'jog', lease, vx, vy: 0, wz: 0, seq, ...(stamp && { stamp }) }));
  }, FRAME_MS);
});
socket.on('message', (data) => {
  const message = JSON.parse(String(data));
  if (message.type !== 'jog_ack') return;
  stamp = message.stamp;
  if (message.error) {
    say(message.error.code);
    if (!hasDriven) pushedAt = undefined;
  } else if (pushedAt === undefined) {
    pushedAt = seq + 1;
  } else if (!message.waiting && message.seq >= pushedAt) {
    say('driving');
    hasDriven = true;
  }
});
socket.on('error', () => undefined);
socket.on('close', (code) => {
  say(`closed ${code}`);
  clearInterval(hand);
});
