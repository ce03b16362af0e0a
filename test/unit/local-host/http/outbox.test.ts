import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../../functions/shared/observability/logger.ts';
import { NO_METRICS } from '../../../../functions/shared/observability/metrics.port.ts';
import { Refusals } from '../../../../functions/shared/observability/refusals.ts';
import type { Result } from '../../../../functions/shared/pipeline/exchange.ts';
import { AnswerBudget } from '../../../../local-host/http/answer-budget.ts';
import { LIMITS as limits } from '../../../../local-host/http/limits.ts';
import { Outbox } from '../../../../local-host/http/outbox.ts';

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

describe('Answers that are flushed together', () => {
  let lines: string[];
  const logger = createLogger('error', { write: (line: string) => void lines.push(line) });
  const outbox = new Outbox();
  const answers = new AnswerBudget(limits, new Refusals(NO_METRICS, logger, Date.now));
  const server = createServer((request, response) => {
    const result = RESULTS[request.url ?? '']?.() as Result; // as: only these are asked for
    outbox.post(result, {
      request,
      response,
      limits,
      logger,
      largeUnreadBody: false,
      answers,
      clientAddress: '127.0.0.1',
    });
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

  it('are independent: one that cannot be sent closes its connection and is logged', async () => {
    const answers = await Promise.all(['/whole', '/unsendable', '/whole'].map(ask));
    const whole = { text: 'answer', whole: true };
    expect(answers).toEqual([whole, { text: '', whole: false }, whole]);
    expect(lines.join('')).toContain('could not answer a request');
  });

  it('are never taken for complete when their source fails midway, which is logged', async () => {
    expect(await ask('/broken-off')).toEqual({ text: 'the first half', whole: false });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'a streamed response failed', request_id: 'request-1' });
  });
});
