import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FarEnd } from './link.ts';

/** One stop; times in ms since its last byte was written. */
export interface Stop {
  /** Until the first stop message arrived at the far end of the link. */
  readonly toLink: number;
  readonly toAnswer: number;
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

const TIMEOUT_MS = 20_000;
const MAX_PAUSE_MS = 20;

/**
 * Requests one stop over a new connection.
 * @throws Error if the response is not 200 with `stopped: true`, or the stop never reached the link.
 */
export async function stopOnce(place: NetConnectOpts, request: string, robot: FarEnd): Promise<Stop> {
  const socket = connect(place);
  socket.setEncoding('latin1').setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
  let written = Number.NaN;
  let stopped = Number.NaN;
  robot.onStop = (at) => {
    if (Number.isNaN(stopped)) stopped = at;
  };
  socket.once('connect', () => {
    socket.write(request);
    written = performance.now();
  });
  let text = '';
  let answered = Number.NaN;
  try {
    for await (const chunk of socket) {
      text += chunk;
      answered = performance.now();
    }
  } finally {
    robot.onStop = () => undefined;
  }
  if (!/^HTTP\/1\.1 200 [\s\S]*"stopped":true/.test(text)) throw new Error(text.slice(0, 300) || 'no answer');
  if (Number.isNaN(stopped)) throw new Error('answered, but nothing arrived over the link');
  return { toLink: stopped - written, toAnswer: answered - written };
}

/** Requests this many stops over each listener in turn, one at a time, and collects the reasons of failures. */
export async function stopOften(
  count: number,
  places: Readonly<Record<string, NetConnectOpts>>,
  request: string,
  robot: FarEnd,
): Promise<Readonly<Record<string, { readonly stops: Stop[]; readonly failures: string[] }>>> {
  const results = Object.fromEntries(
    Object.keys(places).map((name) => [name, { stops: [] as Stop[], failures: [] as string[] }]),
  );
  for (let round = 0; round < count; round += 1) {
    for (const [name, place] of Object.entries(places)) {
      const result = results[name];
      try {
        result?.stops.push(await stopOnce(place, request, robot));
      } catch (error) {
        result?.failures.push(String(error));
      }
      await pause(1 + Math.random() * MAX_PAUSE_MS);
    }
  }
  return results;
}

/** In ms, rounded to two decimal places. */
export function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN) * 100) / 100;
  return { p50: at(0.5), p99: at(0.99), worst: at(1) };
}
