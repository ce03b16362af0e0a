import { afterAll, describe, it } from '@jest/globals';
import { nothingBeginsBehindRosbridgeStop } from '../../../support/rosbridge-interleavings.ts';
import { closeScenes } from '../../../support/rosbridge-link.ts';

describe('Commands and stops in any order, over rosbridge', () => {
  afterAll(closeScenes);

  it('let nothing begin after an answered stop that arrived before it, in 100 interleavings', async () => {
    await nothingBeginsBehindRosbridgeStop(100);
  }, 120_000);
});
