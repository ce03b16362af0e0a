import { describe, expect, it } from '@jest/globals';
import { vetted } from '../../../functions/shared/adapters/database/sqlite/csv-file.ts';

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
