import { describe, expect, it } from '@jest/globals';
import type { RobotDatabase } from '../../../../functions/database/port.ts';
import { database } from '../../../../functions/database/ports.ts';
import { handler as readItem } from '../../../../functions/database/read-item.handler.ts';
import { tokens } from '../../../../functions/shared/identity/ports.ts';
import { give } from '../../../../functions/shared/port.ts';
import { invoke } from '../../../support/invoke.ts';
import { nameTokens } from '../../../support/robot.ts';
import { loggerInto, testPorts } from '../../../support/world.ts';

/** What a client gets, and the log, when a part of the service throws this. */
async function answerTo(thrown: unknown) {
  const lines: string[] = [];
  const broken = { readRow: () => Promise.reject(thrown) } as Partial<RobotDatabase> as RobotDatabase; // as: nothing else of it is asked
  const ports = testPorts({
    given: [give(tokens, nameTokens), give(database, broken)],
    logger: loggerInto(lines, 'error'),
  });
  const data = JSON.stringify({ tablename: 'robots_table', item: { id: 1 } });
  const answer = await invoke(readItem, { ports, query: { data }, headers: { authorization: 'Bearer alice' } });
  return { ...answer, log: lines.join('') };
}

describe('An unexpected error', () => {
  it.each([
    ['an error', new Error('secret path /etc/robot')],
    ['a text', 'secret path /etc/robot'],
    ['an object with a number for a code', { code: 5, message: 'secret path /etc/robot' }],
    ['nothing', undefined],
    ['null', null],
  ])('is internal_error, with details only in the log, when it is %s', async (_what, thrown) => {
    const { status, body, log } = await answerTo(thrown);
    expect([status, body.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(log).toContain(body.request_id);
  });

  it.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])('is storage_full, with advice, when it is %s', async (code) => {
    const { status, body } = await answerTo(Object.assign(new Error('secret path /etc/robot'), { code }));
    expect([status, body.code, body.detail]).toEqual([507, 'storage_full', expect.stringContaining('Free some space')]);
  });
});
