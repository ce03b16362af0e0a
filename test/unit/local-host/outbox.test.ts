import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_METRICS } from '../../../functions/shared/adapters/metrics/port.ts';
import { createLogger } from '../../../functions/shared/logger.ts';
import type { Result } from '../../../functions/shared/middleware/exchange.ts';
import { Refusals } from '../../../functions/shared/refusals.ts';
import { AnswerBudget } from '../../../local-host/answer-budget.ts';
import { LIMITS as limits } from '../../../local-host/limits.ts';
import { Outbox } from '../../../local-host/outbox.ts';

async function* brokenOff() {
  yield 'the first half';
  throw new Error('the disk does not answer');
}

const RESULTS: Record<string, () => Result> = {
  '/whole': () => ({ statusCode: 200, headers: {}, body: 'answer' }),
  '/unsendable': () => ({ statusCode: 200, headers: { 'x-header': 'no\nheader' }, body: 'answer' }),
  '/broken-off': () => ({
    statusCode: 200,
    headers: { 'x-request-id': 'request-1' },
    body: Readable.from(brokenOff()),
  }),
};

describe('Answers that leave together', () => {
  let lines: string[];
  const logger = createLogger('error', { write: (line: string) => void lines.push(line) });
  const outbox = new Outbox();
  const answers = new AnswerBudget(limits, new Refusals(NO_METRICS, logger, Date.now));
  const server = createServer((request, response) => {
    const result = RESULTS[request.url ?? '']?.() as Result; // as: only these are asked for
    outbox.post(result, { request, response, limits, logger, muchUnread: false, answers, address: '127.0.0.1' });
  });
  beforeEach(() => {
    lines = [];
    return new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => server.close().closeAllConnections());

  /** What came, whole or not. */
  function ask(path: string): Promise<{ text: string; whole: boolean }> {
    const { port } = server.address() as AddressInfo; // as: a TCP server has no other kind of address
    return new Promise((resolve) => {
      let text = '';
      const end = (whole: boolean) => resolve({ text, whole });
      get({ port, path, agent: false }, (response) => {
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('end', () => end(true)).once('error', () => end(false));
      }).once('error', () => end(false));
    });
  }

  it('do not hold each other up: one that cannot be sent ends its connection and is kept in the log', async () => {
    const answers = await Promise.all(['/whole', '/unsendable', '/whole'].map(ask));
    const whole = { text: 'answer', whole: true };
    expect(answers).toEqual([whole, { text: '', whole: false }, whole]);
    expect(lines.join('')).toContain('a request could not be answered');
  });

  it('are never taken for whole when their source fails on the way, and the log says which', async () => {
    expect(await ask('/broken-off')).toEqual({ text: 'the first half', whole: false });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'an answer broke off', request_id: 'request-1' });
  });
});
