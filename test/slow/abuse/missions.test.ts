import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exceeded, KEYS_AS_TOKENS, withKey } from '../../support/key-tokens.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { loggerInto } from '../../support/world.ts';

/** Half of the places. */
const SHARE = 500;

let service: TestService;
const lines: string[] = [];
beforeAll(async () => {
  service = await startTestService({
    given: [KEYS_AS_TOKENS],
    logger: loggerInto(lines, 'warn'),
  });
});
afterAll(() => service.stop());

const command = (key: string, name: string, value?: unknown) =>
  withKey(service, key, `/api/v2/commands/${name}/`, { method: 'POST', body: value === undefined ? {} : { value } });
const dance = (key: string) => command(key, 'skill', { name: 'dance' });
const stop = (key: string) => withKey(service, key, '/api/v2/stop', { method: 'POST' });

async function missionsOf(key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await dance(key)).json.result.msg);
  return ids;
}

describe('A key at its mission limit', () => {
  it('is denied more missions, while other keys, stop and cancel are not affected', async () => {
    const [first] = await missionsOf('mallory', SHARE);
    const refused = await dance('mallory');
    expect([refused.status, refused.headers['retry-after']]).toEqual([409, '5']);
    expect(refused.json).toMatchObject({ code: 'busy', command_ran: 'no' });
    expect((await dance('alice')).json.result.called).toBe(true);
    expect((await command('mallory', 'cancel_skill', first)).json.result.cancelled).toBe(true);
    expect((await dance('mallory')).json.result.called).toBe(true);
    expect((await stop('mallory')).json).toMatchObject({ stopped: true, cancelled_missions: SHARE + 1 });
    expect((await dance('mallory')).json.result.called).toBe(true);
    await stop('mallory');
  });

  it('counts each rejection and logs it once', async () => {
    await missionsOf('mallory', SHARE);
    const before = await exceeded(service, 'commands');
    for (let count = 0; count < 3; count += 1) expect((await dance('mallory')).status).toBe(409);
    expect(await exceeded(service, 'commands')).toBe(before + 3);
    expect(lines.filter((line) => line.includes('"budget":"commands"'))).toHaveLength(1);
    await stop('mallory');
  });
});

describe('A key at its limit of waiting commands', () => {
  it('is denied more waits, while other keys, stop, cancel and immediate answers are not affected', async () => {
    const [id = ''] = await missionsOf('mallory', 1);
    const waits = Array.from({ length: SHARE + 1 }, () => command('mallory', 'wait_for_skill', id));
    expect((await Promise.race(waits)).json).toMatchObject({ code: 'busy', command_ran: 'no' });
    const waiting = command('alice', 'wait_for_skill', id);
    expect((await command('alice', 'sound_level', 40)).status).toBe(200);
    expect((await command('mallory', 'cancel_client_missions')).json.result.cancelled).toBe(true);
    const statuses = (await Promise.all(waits)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(1);
    expect((await waiting).json.result).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
    expect((await stop('mallory')).json).toMatchObject({ stopped: true });
  });
});
