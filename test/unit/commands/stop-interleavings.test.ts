import { describe, it } from '@jest/globals';
import { LINKS, nothingBeginsBehindStop } from '../../support/stop-interleavings.ts';

describe.each(LINKS)('Commands and stops in any order, to %s', (_name, open) => {
  it('never start an earlier command after an answered stop, in 50 interleavings', async () => {
    await nothingBeginsBehindStop(open, 50);
  });
});
