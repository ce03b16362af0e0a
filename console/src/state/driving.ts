import { computed, effect, signal } from '@preact/signals';
import { type Jog, type Lease, LeaseHeld, Stopped } from '../../../clients/typescript/src/index.ts';
import { texts } from '../texts.ts';
import { mayMove, now } from './link.ts';
import { robot, sentenceOf } from './session.ts';

/** A direction that can be held: parts of the largest velocity. */
export const DIRECTIONS = {
  forward: { vx: 1, vy: 0, wz: 0 },
  back: { vx: -1, vy: 0, wz: 0 },
  turnLeft: { vx: 0, vy: 0, wz: 1 },
  turnRight: { vx: 0, vy: 0, wz: -1 },
  left: { vx: 0, vy: 1, wz: 0 },
  right: { vx: 0, vy: -1, wz: 0 },
} as const;
export type Direction = keyof typeof DIRECTIONS;

/** The service clamps to its own limits, which are these unless they were set otherwise. */
export const MAX_LINEAR = 0.25;
export const MAX_ANGULAR = 0.5;

/** The lease of this tab. */
export const lease = signal<Lease | undefined>();
export const isTaking = signal(false);
/** What went wrong with the lease or the jog; for people. */
export const driveProblem = signal<string | undefined>();
/** Part of the largest velocity, 0.1 to 1. */
export const speed = signal(0.5);
/** What is held at present. */
export const held = signal<ReadonlySet<Direction>>(new Set());
/** Whether the jog is open: the pad can be used. */
export const isReady = signal(false);

let jog: Jog | undefined;

/** The robot still ends what it was doing, and does not move as the pad says. */
export const isWaiting = computed(() => now.value > 0 && held.value.size > 0 && jog?.waiting === true);

/** Becomes the one who controls the robot. @param reason takes it from whoever does; ADMIN. */
export async function takeControl(reason?: string): Promise<void> {
  const of = robot.value;
  if (!of || isTaking.value) return;
  isTaking.value = true;
  driveProblem.value = undefined;
  try {
    const taken = await of.lease(reason === undefined ? {} : { take: { reason } });
    lease.value = taken;
    taken.lost.addEventListener('abort', () => {
      if (lease.value === taken) drop(texts.drive.controlLost);
    });
    if (!taken.stopConfirmed) driveProblem.value = texts.drive.stopNotConfirmed;
    await openJog(taken);
  } catch (error) {
    const holder = error instanceof LeaseHeld ? error.holder : null;
    driveProblem.value = holder ? texts.drive.heldBy(holder.username ?? holder.key_name) : sentenceOf(error);
  } finally {
    isTaking.value = false;
  }
}

/** Returns the lease; what it began goes on, a jog ends. */
export async function releaseControl(): Promise<void> {
  const returned = lease.value;
  letGo();
  isReady.value = false;
  jog = undefined;
  lease.value = undefined;
  await returned?.release().catch((error) => {
    driveProblem.value = sentenceOf(error);
  });
}

/** One more direction is held. Ignored while the pad cannot be used. */
export function press(direction: Direction): void {
  if (!isReady.value || !mayMove.value || document.hidden) return;
  driveProblem.value = undefined;
  held.value = new Set([...held.value, direction]);
  apply();
}

export function release(direction: Direction): void {
  const rest = new Set(held.value);
  rest.delete(direction);
  held.value = rest;
  apply();
}

export function setSpeed(part: number): void {
  speed.value = part;
  apply();
}

/** Nothing is held any more. */
export function letGo(): void {
  held.value = new Set();
  apply();
}

/** What must never go on by itself ends: a hidden page, a window without focus, a lost link. */
export function watchDriving(): void {
  document.addEventListener('visibilitychange', letGo);
  window.addEventListener('blur', letGo);
  window.addEventListener('pagehide', letGo);
  effect(() => {
    if (!mayMove.value) letGo();
  });
  effect(() => {
    if (!robot.value && lease.peek()) drop(undefined);
  });
}

/** Opens the jog under the lease that is held, if it is closed: after a connection was lost, for instance. */
export async function openJog(of: Lease): Promise<void> {
  try {
    const opened = await of.jog({ onRefused: (error) => refused(opened, error) });
    if (lease.value !== of) return void opened.end().catch(() => undefined);
    jog = opened;
    isReady.value = true;
  } catch (error) {
    driveProblem.value = sentenceOf(error);
  }
}

function refused(of: Jog, error: Error): void {
  if (of !== jog) return;
  held.value = new Set();
  driveProblem.value = error instanceof Stopped ? texts.drive.stopped : sentenceOf(error);
  if (error instanceof Stopped) return;
  isReady.value = false;
  jog = undefined;
  of.end().catch(() => undefined); // the service has ended it, or does so by its deadline
}

function apply(): void {
  const sum = { vx: 0, vy: 0, wz: 0 };
  for (const direction of held.peek()) {
    const { vx, vy, wz } = DIRECTIONS[direction];
    sum.vx += vx * speed.peek() * MAX_LINEAR;
    sum.vy += vy * speed.peek() * MAX_LINEAR;
    sum.wz += wz * speed.peek() * MAX_ANGULAR;
  }
  try {
    jog?.setVelocity(sum);
  } catch (error) {
    held.value = new Set();
    if (driveProblem.peek() === undefined) driveProblem.value = sentenceOf(error);
  }
}

function drop(why: string | undefined): void {
  const lost = lease.peek();
  held.value = new Set();
  isReady.value = false;
  jog = undefined;
  lease.value = undefined;
  driveProblem.value = why;
  lost?.release().catch(() => undefined); // it is over already; this ends its jog and lets another be acquired
}
