import { afterAll, describe, it } from '@jest/globals';
import { nothingBeginsBehindRosbridgeStop } from '../support/rosbridge-interleavings.ts';
import { closeScenes } from '../support/rosbridge-link.ts';
import { LINKS, nothingBeginsBehindStop } from '../support/stop-interleavings.ts';

const ORDERS = 300;

describe.each(LINKS)('Commands and stops in any order, to %s', (_name, open) => {
  it('start nothing that arrived before an answered stop, in 300 interleavings', async () => {
    await nothingBeginsBehindStop(open, ORDERS);
  });
});

describe('Commands and stops in any order, over rosbridge', () => {
  afterAll(closeScenes);

  it('start nothing that arrived before an answered stop, in 300 interleavings', async () => {
    await nothingBeginsBehindRosbridgeStop(ORDERS);
  });
});
