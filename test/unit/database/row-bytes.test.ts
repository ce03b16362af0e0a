import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { migrate } from '../../../functions/database/adapters/sqlite/migrate.ts';
import { bytesOf, bytesOfChanged, insertRow } from '../../../functions/database/adapters/sqlite/rows.ts';
import { Session } from '../../../functions/database/adapters/sqlite/session.ts';
import { temporaryFolder } from '../../support/world.ts';

it('counts a changed row without reading the columns that stay', async () => {
  const session = Session.writing(join(temporaryFolder(), 'robot.sqlite'));
  try {
    await migrate(session);
    const row = await insertRow(session, 'robots_table', { id: 7, name: 'ü'.repeat(5000), color: 'red' });
    const changes = { color: 'x'.repeat(300) };
    const whole = bytesOf({ ...row, ...changes });
    const counted = bytesOfChanged(session, 'robots_table', 7, changes);
    expect(counted).toBeGreaterThanOrEqual(whole);
    expect(counted).toBeLessThan(whole + 100);
    expect(bytesOfChanged(session, 'robots_table', 8, changes)).toBe(bytesOf(changes));
  } finally {
    session.close();
  }
});
