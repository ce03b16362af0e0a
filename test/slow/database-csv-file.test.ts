import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { vetted } from '../../functions/database/adapters/sqlite/csv-file.ts';
import { handler as importTable } from '../../functions/database/import-table.handler.ts';
import { databaseWorld } from '../support/database.ts';

const MEBIBYTE = Buffer.alloc(1024 * 1024, 'x');

async function* mebibytes(count: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index += 1) yield MEBIBYTE;
}

describe('A CSV file that grows while it is read', () => {
  it.each([
    [256, 'is read to its end', undefined],
    [257, 'is refused when it passes its limit', 'file_too_large'],
  ])(
    'to %i MiB %s',
    async (size, _what, code) => {
      let passed = 0;
      const reading = (async () => {
        for await (const chunk of vetted(mebibytes(size), 'robots.csv')) passed += chunk.length;
      })();
      if (code === undefined) await reading;
      else await expect(reading).rejects.toMatchObject({ code });
      expect(passed).toBe(256 * 1024 * 1024);
    },
    60_000,
  );
});

describe('A CSV file with an id that was assigned to an earlier row without one', () => {
  it('is rejected, naming both lines', async () => {
    const world = databaseWorld();
    mkdirSync(world.exportDir, { recursive: true });
    writeFileSync(join(world.exportDir, 'robots_table.csv'), 'id,name\r\n5,a\r\n,b\r\n6,c\r\n');
    const { status, body } = await world.call(importTable, { body: { tablename: 'robots_table', path: '' } });
    await world.close();
    expect([status, body.code]).toEqual([422, 'invalid_csv']);
    expect(body.detail).toContain('line 4, column "id": 6 stands on line 3 already');
  });
});
