import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PreparedCommand } from '../../../functions/commands/run-command.ts';
import { stop } from '../../../functions/commands/stop.ts';
import { arrivalStamp } from '../../../functions/shared/control/fence.ts';
import { ServiceError } from '../../../functions/shared/errors.ts';
import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import type { RobotLink, SendOptions } from '../../../functions/shared/robot-link/port.ts';
import { openSimulatedRobot, scriptedLink } from '../../support/robot.ts';
import { testConfig } from '../../support/world.ts';

const caller = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1', mayPublish: false } as const;

interface Asked {
  readonly link: RobotLink;
  readonly command?: string;
  readonly value?: JsonValue;
  readonly signal?: AbortSignal;
  readonly settings?: Record<string, string>;
  readonly inCloud?: boolean;
}

/** The answer to `skill`. */
type Called = { readonly result: { readonly msg: string } };

function ask({ link, command = 'a_none', value, signal, settings = {}, inCloud = false }: Asked) {
  const config = { ...testConfig(settings), inCloud };
  const ports = { robotLink: link, config, clock: Date.now };
  const asker = { caller, signal: signal ?? new AbortController().signal, arrivedAt: arrivalStamp() };
  return new PreparedCommand(ports, { command, value }).run(asker);
}

/** A robot that never answers, and forgets a call when its signal aborts. */
function silentRobot(marks = {}) {
  const seen: SendOptions[] = [];
  const link = scriptedLink((_command, options) => {
    seen.push(options);
    return new Promise((_resolve, reject) => {
      options.signal.addEventListener('abort', () => reject(options.signal.reason), { once: true });
    });
  }, marks);
  return { link, seen };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('A command', () => {
  it('creates no promise, timer or listener when answered at once', () => {
    const { signal } = new AbortController();
    expect(ask({ link: scriptedLink(() => 42), signal })).toEqual({ result: 42, ok: true });
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it.each([
    ['the setting', {}, {}, 10_000],
    ['another setting', {}, { settings: { SERVICE_COMMAND_TIMEOUT_MS: '250' } }, 250],
    ['10 minutes where it waits for something', { waits: true }, {}, 600_000],
    ['25 s in the cloud where it waits', { waits: true }, { inCloud: true }, 25_000],
    ['25 s in the cloud at most', {}, { inCloud: true, settings: { SERVICE_COMMAND_TIMEOUT_MS: '60000' } }, 25_000],
  ])('times out after %s', async (_what, marks, more, ms) => {
    const { link, seen } = silentRobot(marks);
    const began = Date.now();
    const failure = Promise.resolve(ask({ link, ...more })).catch((error: unknown) => error);
    expect(seen[0]?.deadline).toBe(began + ms);
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(seen[0]?.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject({ code: 'robot_timeout', message: expect.stringContaining(`${ms / 1000} s`) });
    expect(seen[0]?.signal.aborted).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('times out even when the link ignores its signal', async () => {
    const link = scriptedLink(() => new Promise(() => undefined));
    const failure = Promise.resolve(ask({ link })).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await failure).toMatchObject({ code: 'robot_timeout' });
  });

  it('leaves nothing behind after an answer or an error', async () => {
    const { signal } = new AbortController();
    expect(await ask({ link: scriptedLink(async () => 'late'), signal })).toEqual({ result: 'late', ok: true });
    const refusing = scriptedLink(() => Promise.reject(new ServiceError('robot_error', { detail: 'No.' })));
    await expect(ask({ link: refusing, signal })).rejects.toMatchObject({ code: 'robot_error' });
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('leaves nothing behind when the caller hangs up', async () => {
    const { link, seen } = silentRobot();
    const caller = new AbortController();
    const failure = Promise.resolve(ask({ link, signal: caller.signal })).catch((error: unknown) => error);
    expect(jest.getTimerCount()).toBe(1);
    caller.abort();
    expect(await failure).toMatchObject({ code: 'request_timeout' });
    expect(seen[0]?.signal.aborted).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  it('fails with the error that aborted its caller', async () => {
    const caller = new AbortController();
    const failure = Promise.resolve(ask({ link: silentRobot().link, signal: caller.signal })).catch((e: unknown) => e);
    const ending = new ServiceError('component_unavailable', { detail: 'The service is about to end.' });
    caller.abort(ending);
    expect(await failure).toBe(ending);
  });

  it('is not started when the caller has already hung up', () => {
    const { link, seen } = silentRobot();
    expect(() => ask({ link, signal: AbortSignal.abort() })).toThrow(
      expect.objectContaining({ code: 'request_timeout' }),
    );
    expect(seen).toHaveLength(0);
  });

  it('can be abandoned and repeated while the mission it waits for goes on', async () => {
    const link = openSimulatedRobot(Date.now);
    const called = ask({ link, command: 'skill', value: { name: 'wait', seconds: 30 } }) as unknown as Called; // as: the simulated robot answers at once
    const wait = { link, command: 'wait_for_skill', value: called.result.msg, inCloud: true };
    const first = Promise.resolve(ask(wait)).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(25_000);
    expect(await first).toMatchObject({ code: 'robot_timeout' });
    const second = ask(wait);
    await jest.advanceTimersByTimeAsync(6_000);
    expect(await second).toMatchObject({ result: { awaited: true }, ok: true });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves nothing behind when 200 waiting callers hang up', async () => {
    const link = openSimulatedRobot(Date.now);
    const { result } = ask({ link, command: 'skill', value: { name: 'dance' } }) as unknown as Called; // as: the simulated robot answers at once
    const callers = Array.from({ length: 200 }, () => new AbortController());
    const waits = callers.map(({ signal }) => ask({ link, command: 'wait_for_skill', value: result.msg, signal }));
    const settled = Promise.allSettled(waits);
    for (const caller of callers.slice(0, 100)) caller.abort();
    expect(stop({ robotLink: link, config: testConfig(), clock: Date.now })).toEqual({
      stopped: true,
      cancelled_missions: 1,
    });
    expect((await settled).map(({ status }) => status)).toEqual([
      ...Array(100).fill('rejected'),
      ...Array(100).fill('fulfilled'),
    ]);
    expect(jest.getTimerCount()).toBe(0);
    expect(callers.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([]);
  });
});

describe('stop', () => {
  it('waits for confirmation no longer than a command does', async () => {
    const ports = (answer: RobotLink['stop']) => ({
      robotLink: { ...scriptedLink(() => null), stop: answer },
      config: testConfig(),
      clock: Date.now,
    });
    expect(await stop(ports(async () => ({ stopped: true })))).toEqual({ stopped: true });
    const never = Promise.resolve(stop(ports(() => new Promise(() => undefined)))).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await never).toMatchObject({ code: 'robot_timeout' });
    expect(jest.getTimerCount()).toBe(0);
  });
});
