/** Jog: how long a frame takes from its client to the robot's end of the link, beside a bare relay of WebSockets. */
import { randomBytes } from 'node:crypto';
import { on, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import type { EventRow } from './events.ts';
import { API_KEY, type Running, startPeer, startService } from './servers.ts';

/** Time between two frames of a client that holds a stick, in ms. */
const FRAME_MS = 50;
const WARM_UP = 20;
const LIMIT_MS = 10_000;
const TOPIC = '/cmd_vel';
const MAPPING = {
  ros: 2,
  stop: { service: [{ name: '/halt', success: '$answer.ok' }] },
  jog: { topic: TOPIC, type: 'geometry_msgs/msg/Twist', watchdog_ms: 300, max_linear: 1 },
  commands: {},
};

/** Sends one velocity. @returns whether it was accepted. */
type Drive = (vx: number) => boolean | Promise<boolean>;

export async function jogRow(frames: number): Promise<EventRow> {
  return {
    name: 'p99 from a jog frame to the link',
    unit: 'ms',
    aim: 5,
    service: await delayOf(frames, startOurs),
    bare: await delayOf(frames, startBare),
  };
}

async function delayOf(
  frames: number,
  start: (url: string) => Promise<{ running: Running; drive: Drive }>,
): Promise<number> {
  const robot = await RobotEnd.start();
  const { running, drive } = await start(robot.url);
  const delays: number[] = [];
  for (let frame = 0; frame < WARM_UP + frames; frame += 1) {
    const vx = (frame + 1) / 10_000; // distinguishes the frames
    const arrival = robot.arrivalOf(vx);
    const sentAt = performance.now();
    arrival.catch(() => undefined);
    // On a busy machine the link can be too slow for a moment: such a frame is refused, and the next one is near.
    if ((await drive(vx)) && frame >= WARM_UP) delays.push((await arrival) - sentAt);
    await setTimeout(FRAME_MS);
  }
  await running.stop();
  robot.close();
  if (delays.length < frames / 2) throw new Error(`only ${delays.length} of ${frames} frames were accepted`);
  delays.sort((a, b) => a - b);
  return Math.round((delays[Math.floor(delays.length * 0.99)] ?? Number.NaN) * 10) / 10;
}

/** The robot's end of the link: a rosbridge server that confirms every call. */
class RobotEnd {
  readonly url: string;
  readonly #server: WebSocketServer;
  #awaited: { readonly vx: number; readonly resolve: (at: number) => void } | undefined;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${(server.address() as { port: number }).port}`; // as: it listens on TCP
    server.on('connection', (socket) => socket.on('message', (data) => this.#take(socket, String(data))));
  }

  static async start(): Promise<RobotEnd> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new RobotEnd(server);
  }

  /** When the frame of this velocity arrives, by the clock of `performance.now()`. */
  arrivalOf(vx: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = AbortSignal.timeout(LIMIT_MS);
      late.addEventListener('abort', () => reject(new Error(`the frame did not arrive within ${LIMIT_MS} ms`)));
      this.#awaited = { vx, resolve };
    });
  }

  close(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  #take(socket: WebSocket, text: string): void {
    const now = performance.now();
    const { op, id, service, topic, msg } = JSON.parse(text);
    if (op === 'call_service') {
      socket.send(JSON.stringify({ op: 'service_response', id, service, values: { ok: true }, result: true }));
    }
    if (op === 'publish' && topic === TOPIC && msg.linear.x === this.#awaited?.vx) this.#awaited?.resolve(now);
  }
}

async function startOurs(url: string): Promise<{ running: Running; drive: Drive }> {
  const folder = mkdtempSync(join(tmpdir(), 'robot-rest-jog-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const mapping = join(folder, 'rosbridge.yaml');
  writeFileSync(mapping, JSON.stringify(MAPPING));
  const running = await startService({ SERVICE_ROBOT_URL: url, SERVICE_ROBOT_MAPPING_PATH: mapping });
  const base = `http://127.0.0.1:${running.port}`;
  const { headers } = await fetch(`${base}/api/v2/auth/`, { headers: { 'x-api-key': API_KEY } });
  const authorization = String(headers.get('authorization'));
  while (!(await (await fetch(`${base}/status`)).text()).includes('"robot":"connected"')) await setTimeout(FRAME_MS);
  const taken = await fetch(`${base}/api/v2/lease/`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ instance: randomBytes(16).toString('base64url'), ttl_ms: 60_000 }),
  });
  const { lease_id: lease } = (await taken.json()) as { lease_id: string }; // as: the answer of a lease that was granted
  const socket = new WebSocket(`${base}/api/v2/events`, { headers: { authorization } });
  const messages = on(socket, 'message');
  await once(socket, 'open');
  let seq = 0;
  let stamp: string | undefined;
  const send = async (vx: number) => {
    seq += 1;
    const frame = { type: 'jog', lease, vx, vy: 0, wz: 0, seq, ...(stamp === undefined ? {} : { stamp }) };
    socket.send(JSON.stringify(frame));
    for (;;) {
      const { value } = await messages.next();
      const answer = JSON.parse(String(value[0]));
      if (answer.type !== 'jog_ack') continue; // such as the welcome
      ({ stamp } = answer);
      return answer.error === undefined;
    }
  };
  // The first one asks for a stamp. Until the guard lives, there is no jog.
  while (!(await send(0))) await setTimeout(FRAME_MS);
  const drive = async (vx: number) => {
    const accepted = await send(vx);
    // Whoever was refused has to let go of the stick before the robot moves again.
    if (!accepted) await send(0);
    return accepted;
  };
  return { running, drive };
}

async function startBare(url: string): Promise<{ running: Running; drive: Drive }> {
  const running = await startPeer('bare-events', { ROBOT_URL: url });
  const socket = new WebSocket(`http://127.0.0.1:${running.port}`);
  await once(socket, 'open');
  const drive = (vx: number) => {
    socket.send(JSON.stringify({ vx }));
    return true;
  };
  return { running, drive };
}
