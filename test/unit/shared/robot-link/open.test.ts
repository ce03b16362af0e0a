import { describe, expect, it } from '@jest/globals';
import { Fence } from '../../../../functions/shared/control/fence.ts';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { NO_METRICS } from '../../../../functions/shared/observability/metrics.port.ts';
import { measured } from '../../../../functions/shared/robot-link/adapters/measured.ts';
import { openRobotLink } from '../../../../functions/shared/robot-link/adapters/open.ts';
import type { RobotLink } from '../../../../functions/shared/robot-link/port.ts';
import { scriptedLink } from '../../../support/robot.ts';
import { silentLogger, testConfig } from '../../../support/world.ts';

const options = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
const command = { command: 'get_language', sender: { clientId: 'alice', accessLevel: 'USER', keyId: 'k' } } as const;

function open(settings: Record<string, string>): Promise<RobotLink> {
  return openRobotLink(testConfig(settings), {
    logger: silentLogger,
    clock: Date.now,
    metrics: NO_METRICS,
    openFence: async () => new Fence(),
  });
}

describe('The robot link', () => {
  it.each<[Record<string, string>, string]>([
    [{}, 'sim mode without a setting'],
    [{ SERVICE_ROBOT_URL: 'sim:' }, 'sim: in sim mode'],
    [{ SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: 'sim:' }, 'sim: written out in robot mode'],
  ])('is simulated with %j (%s)', async (settings, _where) => {
    const link = await open(settings);
    expect([link.kind, link.connected(), link.send(command, options)]).toEqual(['simulated', true, 'en']);
    await link.close();
    expect(link.connected()).toBe(false);
  });

  it('is absent in robot mode without its setting, which is named', async () => {
    const link = await open({ SERVICE_MODE: 'robot' });
    expect([link.kind, link.connected()]).toEqual(['none', false]);
    const refusal = expect.objectContaining({
      code: 'robot_unavailable',
      message: expect.stringContaining('SERVICE_ROBOT_URL'),
      headers: { 'retry-after': '5' },
    });
    expect(() => link.send(command, options)).toThrow(refusal);
    expect(() => link.stop(options)).toThrow(refusal);
    expect(() => link.catalogue()).toThrow(refusal);
  });

  it.each(['carrier-pigeon://robot', 'robot', 'user:secret@host'])('is refused as %s', async (url) => {
    const failure: unknown = await open({ SERVICE_ROBOT_URL: url }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ConfigError', message: expect.stringContaining('SERVICE_ROBOT_URL') });
    expect(failure).not.toMatchObject({ message: expect.stringContaining('secret') });
  });
});

describe('Round trips', () => {
  function counting(send: RobotLink['send']) {
    const counted: [string, string][] = [];
    const metrics = {
      ...NO_METRICS,
      robotRoundTrip: (name: string, outcome: string, seconds: number) => {
        expect(seconds).toBeGreaterThanOrEqual(0);
        counted.push([name, outcome]);
      },
    };
    return { counted, link: measured(scriptedLink(send), metrics) };
  }

  it('are counted without delaying an immediate answer', () => {
    const { counted, link } = counting(() => 'now');
    expect(link.send(command, options)).toBe('now');
    expect(link.stop(options)).toEqual({ stopped: true });
    expect(counted).toEqual([
      ['get_language', 'ok'],
      ['stop', 'ok'],
    ]);
  });

  it('are counted when the answer arrives', async () => {
    const { counted, link } = counting(async () => 'later');
    expect(await link.send(command, options)).toBe('later');
    expect(counted).toEqual([['get_language', 'ok']]);
  });

  it.each([
    ['robot_error', [['get_language', 'failed']]],
    ['robot_timeout', [['get_language', 'failed']]],
    ['request_timeout', []],
  ] as const)('are counted with failures of the robot: %s gives %j', async (code, expected) => {
    const failure = new ServiceError(code, { detail: 'because' });
    const later = counting(() => Promise.reject(failure));
    await expect(later.link.send(command, options)).rejects.toBe(failure);
    expect(later.counted).toEqual(expected);
    const atOnce = counting(() => {
      throw failure;
    });
    expect(() => atOnce.link.send(command, options)).toThrow(failure);
    expect(atOnce.counted).toEqual(expected);
  });
});
