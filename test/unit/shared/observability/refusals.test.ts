import { expect, it } from '@jest/globals';
import { countedRefusals } from '../../../support/refusals.ts';

it('Refusals are counted each time and logged once a minute with the number of skipped lines', () => {
  let now = 0;
  const { refusals, counts, lines } = countedRefusals(() => now);
  for (let count = 0; count < 100; count += 1) refusals.note('packets', 'Too large', { setting: 'A' });
  refusals.note('presence', 'Too often');
  now = 60_000;
  refusals.note('packets', 'Too large', { setting: 'B' });
  expect(counts).toEqual({ packets: 101, presence: 1 });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ budget: 'packets', setting: 'A', unlogged: 0, msg: 'Too large' }),
    expect.objectContaining({ budget: 'presence', unlogged: 0 }),
    expect.objectContaining({ budget: 'packets', setting: 'B', unlogged: 99 }),
  ]);
});
