import { afterAll, describe, it } from '@jest/globals';
import { nothingBeginsBehindRosbridgeStop } from '../support/rosbridge-interleavings.ts';
import { closeScenes } from '../support/rosbridge-link.ts';
import { LINKS, nothingBeginsBehindStop } from '../support/stop-interleavings.ts';

const ORDERS = 1000;

describe.each(LINKS)('Commands and stops in any order, to %s', (_name, open) => {
  it('let nothing begin after an answered stop that arrived before it, in 1000 interleavings', async () => {
    await nothingBeginsBehindStop(open, ORDERS);
  });
});

describe('Commands and stops in any order, over rosbridge', () => {
  afterAll(closeScenes);

  it('let nothing begin after an answered stop that arrived before it, in 1000 interleavings', async () => {
    await nothingBeginsBehindRosbridgeStop(ORDERS);
  });
});
