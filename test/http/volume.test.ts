import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.ts';

describe.each(['v1', 'v2'])('The simulated volume over %s', (version) => {
  const path = `/api/${version}/volume/`;
  let service: TestService;
  const set = (body: unknown) => service.as('USER', path, { method: 'POST', body });

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it.each([
    [0, 0],
    [37, 37],
    [100, 100],
    [36.6, 37],
    [99.6, 100],
    [1, 1],
  ])('reads %d back as %d after setting it', async (value, stored) => {
    const expected = { percentage: { value: stored }, muted: false, device: 'simulated' };
    const answer = await set({ percentage: { value } });
    expect([answer.status, answer.json]).toEqual([200, expected]);
    expect((await service.as('USER', path)).json).toEqual(expected);
  });

  it.each([
    [{ percentage: { value: 101 } }, '/percentage/value'],
    [{ percentage: { value: 100.4 } }, '/percentage/value'],
    [{ percentage: { value: -1 } }, '/percentage/value'],
    [{ percentage: { value: '50' } }, '/percentage/value'],
    [{ percentage: { value: true } }, '/percentage/value'],
    [{ percentage: { value: null } }, '/percentage/value'],
    [{ percentage: { value: [50] } }, '/percentage/value'],
    [{ percentage: {} }, '/percentage/value'],
    [{ percentage: { value: 50, unit: '%' } }, '/percentage/unit'],
    [{ percentage: 50 }, '/percentage'],
    [{ percentage: { value: 50 }, muted: 'yes' }, '/muted'],
    [{ muted: null }, '/muted'],
    [{ percentage: { value: 50 }, loud: true }, '/loud'],
    [{}, '/percentage'],
    [[], ''],
  ])('rejects %j naming %s, and changes nothing', async (body, pointer) => {
    const before = (await service.as('USER', path)).json;
    const { status, json } = await set(body);
    expect([status, json.code]).toEqual([422, 'validation_failed']);
    expect(json.errors[0].pointer).toBe(pointer);
    expect((await service.as('USER', path)).json).toEqual(before);
  });

  it('is muted and unmuted without a change of the volume', async () => {
    await set({ percentage: { value: 30 }, muted: false });
    expect((await set({ muted: true })).json).toMatchObject({ percentage: { value: 30 }, muted: true });
    expect((await service.as('USER', path)).json).toMatchObject({ percentage: { value: 30 }, muted: true });
    expect((await set({ percentage: { value: 20 } })).json).toMatchObject({ percentage: { value: 20 }, muted: true });
    expect((await set({ muted: false })).json).toMatchObject({ percentage: { value: 20 }, muted: false });
  });

  it('is recorded in the audit trail, including rejections', async () => {
    await set({ percentage: { value: 12 } });
    await set({ percentage: { value: 1200 } });
    const { json } = await service.as('ENCHANTER', `/api/${version}/audit/?action=volume.set&limit=2`);
    expect(json.entries).toMatchObject([
      { action: 'volume.set', outcome: 'validation_failed' },
      { action: 'volume.set', outcome: 'ok', subject: { percentage: 12 } },
    ]);
  });

  it('requires a token of any level', async () => {
    expect((await service.as(undefined, path)).json.code).toBe('missing_token');
    expect((await service.as(undefined, path, { method: 'POST', body: {} })).json.code).toBe('missing_token');
    for (const level of ['USER', 'ADMIN', 'ENCHANTER'] as const)
      expect((await service.as(level, path)).status).toBe(200);
  });
});
