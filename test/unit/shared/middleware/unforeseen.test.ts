import { describe, expect, it } from '@jest/globals';
import { handler as readItem } from '../../../../functions/database/read-item.handler.ts';
import type { RobotDatabase } from '../../../../functions/shared/adapters/database/port.ts';
import { createLogger } from '../../../../functions/shared/logger.ts';
import { give } from '../../../../functions/shared/port.ts';
import { database, tokens } from '../../../../functions/shared/ports.ts';
import { invoke } from '../../../support/invoke.ts';
import { nameTokens } from '../../../support/robot.ts';
import { testPorts } from '../../../support/world.ts';

/** What a client gets, and the log, when a part of the service throws this. */
async function answerTo(thrown: unknown) {
  const lines: string[] = [];
  const broken = { readRow: () => Promise.reject(thrown) } as Partial<RobotDatabase> as RobotDatabase; // as: nothing else of it is asked
  const ports = testPorts({
    given: [give(tokens, nameTokens), give(database, broken)],
    logger: createLogger('error', { write: (line: string) => void lines.push(line) }),
  });
  const data = JSON.stringify({ tablename: 'robots_table', item: { id: 1 } });
  const answer = await invoke(readItem, { ports, query: { data }, headers: { authorization: 'Bearer alice' } });
  return { ...answer, log: lines.join('') };
}

describe('What nobody foresaw', () => {
  it.each([
    ['an error', new Error('secret path /etc/robot')],
    ['a text', 'secret path /etc/robot'],
    ['an object with a number for a code', { code: 5, message: 'secret path /etc/robot' }],
    ['nothing', undefined],
    ['null', null],
  ])('is internal_error and tells the client nothing, but the log all, when it is %s', async (_what, thrown) => {
    const { status, body, log } = await answerTo(thrown);
    expect([status, body.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(log).toContain(body.request_id);
  });

  it.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])('is storage_full, with what to do, when it is %s', async (code) => {
    const { status, body } = await answerTo(Object.assign(new Error('secret path /etc/robot'), { code }));
    expect([status, body.code, body.detail]).toEqual([507, 'storage_full', expect.stringContaining('Free some space')]);
  });
});
