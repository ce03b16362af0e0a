import { computed, signal } from '@preact/signals';
import type { components } from '../../../clients/typescript/src/index.ts';
import { base } from './base.ts';

export type Status = components['schemas']['ServiceStatus'];

const PING_MS = 400;
const PING_TIMEOUT_MS = 2000;
const TICK_MS = 200;
/** Without an answer for so long nothing can be driven, and values are old. */
const MOTION_MS = 1000;
/** Without an answer for so long nothing can be written. */
const WRITING_MS = 5000;

/** What the service says of itself and the robot; undefined before its first answer. */
export const status = signal<Status | undefined>();
/** Monotonic, in ms; moves on several times a second. */
export const now = signal(performance.now());
const answeredAt = signal(Number.NEGATIVE_INFINITY);
const firstBuild = signal<string | undefined>();

/** Ms since the last answer; infinite before the first one. */
export const silenceMs = computed(() => Math.max(0, now.value - answeredAt.value));
export const isAnswering = computed(() => silenceMs.value < MOTION_MS);
/** Whether what changes something may be sent. */
export const mayWrite = computed(() => silenceMs.value < WRITING_MS);
/** Whether what moves the robot may be sent. */
export const mayMove = computed(() => isAnswering.value && status.value?.robot !== 'disconnected');
/** The service was updated since this page was loaded. */
export const isOutdated = computed(() => firstBuild.value !== undefined && status.value?.build !== firstBuild.value);

let pause = new AbortController();
let paused = 0;

/** Asks the service for its status again and again, for ever. */
export function watchLink(): void {
  setInterval(() => {
    now.value = performance.now();
  }, TICK_MS);
  document.addEventListener('visibilitychange', () => {
    now.value = performance.now();
  });
  void pingForEver();
}

/** Leaves the connections of the browser to a stop while that is on its way. @returns a function that ends this. */
export function yieldToStop(): () => void {
  paused += 1;
  pause.abort();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    paused -= 1;
  };
}

async function pingForEver(): Promise<void> {
  for (;;) {
    const begun = performance.now();
    if (paused === 0) await ping();
    await new Promise((resolve) => setTimeout(resolve, Math.max(20, begun + PING_MS - performance.now())));
  }
}

async function ping(): Promise<void> {
  pause = new AbortController();
  const timer = setTimeout(() => pause.abort(), PING_TIMEOUT_MS);
  try {
    const response = await fetch(new URL('status', base), {
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: pause.signal,
    });
    const answer: unknown = await response.json();
    if (!response.ok || !isStatus(answer)) return;
    answeredAt.value = now.value = performance.now();
    firstBuild.value ??= answer.build;
    if (JSON.stringify(answer) !== JSON.stringify(status.value)) status.value = answer;
  } catch {
    // The silence says it.
  } finally {
    clearTimeout(timer);
  }
}

function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'robot_id' in value && 'simulated' in value;
}
