import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { WebSocket } from 'ws';

/** What takes longer than this to be worked off is followed by a rest that is as long. */
const HEAVY_MS = 5;

/** Sockets that have been read from and wait for their next turn, of all connections. */
const waiting: WebSocket[] = [];
let restUntil = 0;

/**
 * Takes in one chunk (64 KiB) in each turn of the event loop, from one WebSocket after another, and lets the loop do
 * other things for as long as a heavy one took. Left alone, Node.js reads as much as 2 MiB of a flood from each before
 * it looks at anything else, and a stop would wait for all of that.
 */
export function readInTurns(socket: WebSocket, stream: Socket): void {
  let began = 0;
  stream.prependListener('data', () => {
    began = performance.now();
  });
  stream.on('data', () => {
    const now = performance.now();
    if (now - began > HEAVY_MS) restUntil = now + (now - began);
    if (socket.isPaused) return;
    socket.pause();
    if (waiting.push(socket) === 1) waitForTurn();
  });
}

function waitForTurn(): void {
  const restMs = restUntil - performance.now();
  if (restMs > 0) setTimeout(resumeNext, restMs);
  else setImmediate(resumeNext);
}

function resumeNext(): void {
  waiting.shift()?.resume();
  if (waiting.length > 0) waitForTurn();
}
