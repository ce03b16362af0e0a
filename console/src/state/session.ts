import { computed, signal } from '@preact/signals';
import { type AccessLevel, connect, type Robot, RobotRestError } from '../../../clients/typescript/src/index.ts';
import { texts } from '../texts.ts';
import { base } from './base.ts';
import { audienceOf } from './claims.ts';
import { membersOf } from './objects.ts';
import { Siblings } from './siblings.ts';

const TRADE_TIMEOUT_MS = 15_000;
/** The service accepts an expired token for a stop for so long. */
const STOP_ALONE_MS = 600_000;
/** 128 bits in base64url. Keys begin with `rk_` and are longer. */
const PAIRING_CODE = /^[A-Za-z0-9_-]{22}$/;
const LEVELS: readonly AccessLevel[] = ['USER', 'ADMIN', 'ENCHANTER'];

/** The signed-in connection. */
export const robot = signal<Robot | undefined>();
/** After the token has ended: for stop alone. */
export const stopOnly = signal<Robot | undefined>();
/** Whether the session has ended for a reason for which not even a stop is accepted. */
export const isRevoked = signal(false);
export const isSigningIn = signal(false);
/** Why nobody is signed in, where there is something to say. */
export const signInProblem = signal<string | undefined>();
export const level = computed<AccessLevel | undefined>(() => robot.value?.accessLevel);

let token: string | undefined;
let siblings: Siblings | undefined;
let dropping: ReturnType<typeof setTimeout> | undefined;

/** The header of requests of whoever is signed in. */
export function authorization(): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** Whether the signed-in level is this one or above. */
export function isAtLeast(needed: AccessLevel): boolean {
  return level.value !== undefined && LEVELS.indexOf(level.value) >= LEVELS.indexOf(needed);
}

/** Asks other tabs of the same robot for their token, once it is known which robot this is. */
export function joinSiblings(robotId: string): void {
  siblings ??= new Siblings(`robot-console ${base.pathname} ${robotId}`, {
    token: () => token,
    onToken: (given) => {
      if (!robot.value && !isSigningIn.value && audienceOf(given).includes(robotId)) void enter(async () => given);
    },
    onSignedOut: () => leave(texts.login.signedOutElsewhere),
  });
}

/** Trades an API key or a pairing code for a token, and forgets it. */
export async function signIn(secret: string): Promise<void> {
  if (robot.value) return;
  await enter(() => (PAIRING_CODE.test(secret) ? pair(secret) : authenticate(secret)));
  if (token !== undefined) siblings?.tell(token);
}

/** Ends the token here, in other tabs, and at the service. */
export async function signOut(): Promise<void> {
  const leaving = robot.value;
  await leaving?.call('post', '/api/v2/auth/logout').catch(() => undefined);
  siblings?.tellSignedOut();
  leave(undefined);
  stopOnly.value = undefined;
}

/** Refreshes the token if that is overdue. */
export function wake(): void {
  robot.value?.wake();
}

async function enter(tokenOf: () => Promise<string>): Promise<void> {
  if (isSigningIn.value) return;
  isSigningIn.value = true;
  signInProblem.value = undefined;
  try {
    const connected = await connect(base, {
      token: await tokenOf(),
      onToken: (next) => {
        token = next.token;
      },
      onSignedOut(error) {
        isRevoked.value = error instanceof RobotRestError && error.code === 'key_revoked';
        leave(sentenceOf(error));
      },
    });
    clearTimeout(dropping);
    stopOnly.value = undefined;
    isRevoked.value = false;
    robot.value = connected;
  } catch (error) {
    token = undefined;
    signInProblem.value = sentenceOf(error);
  } finally {
    isSigningIn.value = false;
  }
}

function leave(why: string | undefined): void {
  const left = robot.value;
  token = undefined;
  signInProblem.value = why;
  if (!left) return;
  robot.value = undefined;
  left.close();
  stopOnly.value = left;
  clearTimeout(dropping);
  dropping = setTimeout(() => {
    stopOnly.value = undefined;
  }, STOP_ALONE_MS);
}

function authenticate(key: string): Promise<string> {
  return trade('api/v2/auth/', { headers: { 'X-API-Key': key } });
}

function pair(code: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  return trade('api/v2/auth/pair', { method: 'POST', headers, body: JSON.stringify({ code }) });
}

async function trade(path: string, request: RequestInit): Promise<string> {
  const response = await fetch(new URL(path, base), {
    ...request,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(TRADE_TIMEOUT_MS),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const members = membersOf(answer) ?? {};
  if (response.ok && typeof members.token === 'string') return members.token;
  throw new Error(typeof members.detail === 'string' ? members.detail : texts.login.noAnswer);
}

/** The problem's own sentence. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RobotRestError) return error.detail;
  if (error instanceof DOMException || (error instanceof TypeError && /fetch|network/i.test(error.message)))
    return texts.login.noAnswer;
  return error instanceof Error ? error.message : String(error);
}
