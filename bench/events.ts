/**
 * Events: what idle WebSockets cost, what 100 of them cost that receive the state 20 times a second, and how long an
 * event takes to reach 100 of them; beside a bare `ws` server that sends as much.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Running, residentMb, startPeer, startService } from './servers.ts';

export interface EventSizes {
  readonly idle: number;
  readonly receivers: number;
  readonly seconds: number;
  readonly events: number;
}
export const EVENT_SIZES: EventSizes = { idle: 1_000, receivers: 100, seconds: 10, events: 200 };

/** One figure of the service and of the bare server. */
export interface EventRow {
  readonly name: string;
  readonly unit: 'MB' | '% of a core' | 'ms';
  readonly aim: number;
  readonly service: number;
  readonly bare: number;
}

/** A key gets at most as many places as are free for the others, so that 1 000 of 1 024 need many keys. */
const KEYS = Array.from({ length: 64 }, () => `rk_${randomBytes(32).toString('base64url')}`);
const KEY_RECORDS = KEYS.map((key, n) => ({
  id: `bench${n}`,
  name: 'bench',
  level: 'ADMIN',
  sha256: createHash('sha256').update(key).digest('hex'),
  created_at: new Date().toISOString(),
  revoked_at: null,
}));
/** Time after which a server has settled. */
const SETTLE_MS = 2_000;
/** Clock ticks of the kernel in a second (`getconf CLK_TCK`). */
const TICKS = 100;
/** Too far away for the simulated robot to arrive during a measurement. */
const FAR = { x: 900, y: 900 };

interface Target {
  readonly running: Running;
  open(count: number, topics: readonly string[]): Promise<WebSocket[]>;
  /** Makes it send its state to all sockets. */
  startState(): Promise<void>;
  /** Makes it publish one event. */
  tell(): Promise<void>;
}

export async function eventRows({ idle, receivers, seconds, events }: EventSizes): Promise<EventRow[]> {
  const measure = async (measured: (target: Target) => Promise<number>) => {
    const figures: number[] = [];
    for (const start of [startOurs, startBare]) {
      const target = await start();
      await setTimeout(SETTLE_MS);
      figures.push(await measured(target));
      await target.running.stop();
    }
    return { service: figures[0] ?? Number.NaN, bare: figures[1] ?? Number.NaN };
  };
  return [
    {
      name: `resident memory of ${idle} idle sockets, heap included`,
      unit: 'MB',
      aim: 32,
      ...(await measure((target) => memoryOf(target, idle))),
    },
    {
      name: `${receivers} sockets × 20 Hz state`,
      unit: '% of a core',
      aim: 5,
      ...(await measure((target) => loadOf(target, receivers, seconds))),
    },
    {
      name: `p99 from the request to its event at ${receivers} sockets`,
      unit: 'ms',
      aim: 20,
      ...(await measure((target) => delayOf(target, receivers, events))),
    },
  ];
}

async function memoryOf(target: Target, count: number): Promise<number> {
  const [warm] = await target.open(1, ['missions']);
  await setTimeout(SETTLE_MS);
  const before = residentMb(target.running.child);
  const sockets = await target.open(count, ['missions']);
  await setTimeout(SETTLE_MS);
  const after = residentMb(target.running.child);
  for (const socket of [...sockets, warm]) socket?.terminate();
  return after - before;
}

async function loadOf(target: Target, count: number, seconds: number): Promise<number> {
  const sockets = await target.open(count, ['state']);
  let received = 0;
  for (const socket of sockets) socket.on('message', () => (received += 1));
  await target.startState();
  await setTimeout(SETTLE_MS);
  const [began, ticksBefore, receivedBefore] = [performance.now(), ticksOf(target.running), received];
  await setTimeout(seconds * 1000);
  const ticks = ticksOf(target.running) - ticksBefore;
  const elapsed = (performance.now() - began) / 1000;
  const rate = (received - receivedBefore) / elapsed / count;
  if (rate < 15) throw new Error(`${target.running.name} sent its state only ${rate.toFixed(1)} times a second`);
  for (const socket of sockets) socket.terminate();
  return rounded((ticks / TICKS / elapsed) * 100);
}

async function delayOf(target: Target, count: number, events: number): Promise<number> {
  const sockets = await target.open(count, ['commands']);
  const delays: number[] = [];
  let toldAt = 0;
  let missing = 0;
  let onAll = () => {};
  for (const socket of sockets) {
    socket.on('message', () => {
      delays.push(performance.now() - toldAt);
      missing -= 1;
      if (missing === 0) onAll();
    });
  }
  for (let told = -10; told < events; told += 1) {
    if (told === 0) delays.length = 0;
    missing = count;
    const all = new Promise<void>((resolve) => {
      onAll = resolve;
    });
    toldAt = performance.now();
    await Promise.all([target.tell(), all]);
    await setTimeout(5);
  }
  for (const socket of sockets) socket.terminate();
  delays.sort((a, b) => a - b);
  return rounded(delays[Math.floor(delays.length * 0.99)] ?? Number.NaN);
}

async function startOurs(): Promise<Target> {
  const running = await startService({ SERVICE_API_KEYS: JSON.stringify({ keys: KEY_RECORDS }) });
  const base = `http://127.0.0.1:${running.port}`;
  const tokens = await Promise.all(
    KEYS.map(async (key) => {
      const { headers } = await fetch(`${base}/api/v2/auth/`, { headers: { 'x-api-key': key } });
      return String(headers.get('authorization'));
    }),
  );
  const send = async (command: string, value: unknown) => {
    const headers = { authorization: String(tokens[0]), 'content-type': 'application/json' };
    const answer = await fetch(`${base}/api/v2/commands/${command}/`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ value }),
    });
    if (!answer.ok) throw new Error(`${command}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  return {
    running,
    open: (count, topics) =>
      inTurns(count, async (index) => {
        const authorization = String(tokens[index % tokens.length]);
        const socket = await opened(new WebSocket(`${base}/api/v2/events`, { headers: { authorization } }));
        socket.send(JSON.stringify({ type: 'subscribe', topics }));
        await new Promise<void>((resolve) => {
          const onMessage = (data: unknown) => {
            if (!String(data).includes('"snapshot"')) return;
            socket.off('message', onMessage);
            resolve();
          };
          socket.on('message', onMessage);
        });
        return socket;
      }),
    startState: () => send('go_to_absolute', FAR),
    tell: () => send('set_language', 'en'),
  };
}

async function startBare(): Promise<Target> {
  const running = await startPeer('bare-events');
  const base = `http://127.0.0.1:${running.port}`;
  const post = async (path: string) => void (await fetch(base + path, { method: 'POST' }));
  return {
    running,
    open: (count) => inTurns(count, () => opened(new WebSocket(base))),
    startState: () => post('/state'),
    tell: () => post('/event'),
  };
}

/** Opens a few at a time, as clients come in life. */
async function inTurns(count: number, open: (index: number) => Promise<WebSocket>): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  while (sockets.length < count) {
    const first = sockets.length;
    const many = Math.min(20, count - first);
    sockets.push(...(await Promise.all(Array.from({ length: many }, (_, index) => open(first + index)))));
  }
  return sockets;
}

function opened(socket: WebSocket): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket)).once('error', reject);
  });
}

/** CPU time of a process so far, in clock ticks. */
function ticksOf({ child }: Running): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
