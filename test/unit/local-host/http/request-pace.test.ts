import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { RequestPace } from '../../../../local-host/http/request-pace.ts';

it('starts 16 requests in each turn of the event loop, in order of arrival', async () => {
  const pace = new RequestPace();
  const started: number[] = [];
  const inOrder = Array.from({ length: 40 }, (_, request) => request);
  const answers = inOrder.map((request) =>
    pace.start(async () => {
      started.push(request);
      return request;
    }),
  );
  for (const count of [16, 32, 40]) {
    expect(started).toEqual(inOrder.slice(0, count));
    await nextTurn();
  }
  expect(await Promise.all(answers)).toEqual(inOrder);
});

it('passes on a failure and goes on with the others', async () => {
  const pace = new RequestPace();
  const first = Array.from({ length: 16 }, () => pace.start(async () => 'ok'));
  const failing = pace.start(() => {
    throw new Error('no');
  });
  const later = pace.start(async () => 'later');
  await expect(failing).rejects.toThrow('no');
  expect(await Promise.all([...first, later])).toContain('later');
});
