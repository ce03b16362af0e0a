import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../../../../functions/shared/pipeline/endpoint.ts';
import { toEvent } from '../../../../local-host/http/event.ts';
import { testPorts } from '../../../support/world.ts';

const echo = endpoint({
  access: 'public',
  summary: 'Echo',
  input: { body: z.strictObject({ text: z.string() }) },
  output: z.unknown(),
}).handler(({ valid }) => valid.body);

/** A request whose body is part of the event, as API Gateway hands it over. */
async function send(body: string, isBase64Encoded: boolean) {
  const event = toEvent({
    method: 'POST',
    path: '/',
    query: '',
    headers: { 'content-type': 'application/json' },
    params: {},
    routeKey: 'POST /',
    sourceIp: '192.0.2.1',
    now: 0,
  });
  const { signal } = new AbortController();
  const host = { ports: testPorts(), listener: 'tcp', signal, abandoned: false, arrivedAt: 0 } as const;
  const { statusCode, body: answer } = await echo({ ...event, body, isBase64Encoded }, { host });
  return { statusCode, answer: JSON.parse(String(answer)) };
}

describe('A body in an event', () => {
  it.each([
    ['as text', false],
    ['as base64', true],
  ])('comes %s', async (_how, encoded) => {
    const text = JSON.stringify({ text: 'Grüße' });
    const body = encoded ? Buffer.from(text).toString('base64') : text;
    expect(await send(body, encoded)).toEqual({ statusCode: 200, answer: { text: 'Grüße' } });
  });

  it('is too large beyond 1 MiB after decoding', async () => {
    const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(1024 * 1024) })).toString('base64');
    expect(await send(body, true)).toMatchObject({ statusCode: 413, answer: { code: 'too_large' } });
  });
});
