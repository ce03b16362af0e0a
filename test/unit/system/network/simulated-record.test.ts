import { expect, it } from '@jest/globals';
import { wifiRecord } from '../../../../functions/system/network/ports.ts';
import { temporaryFolder, testConfig, testPorts } from '../../../support/world.ts';

it('The outcome of a simulated Wi-Fi configuration does not appear in robot mode, nor the other way round', async () => {
  const SERVICE_DATA_DIR = temporaryFolder();
  const recordIn = (SERVICE_MODE: 'sim' | 'robot') =>
    testPorts({ config: testConfig({ SERVICE_DATA_DIR, SERVICE_MODE }) }).get(wifiRecord);
  const simulated = await recordIn('sim');
  await simulated.start('Garden');
  await simulated.finish('connected');
  expect(await (await recordIn('sim')).last()).toMatchObject({ ssid: 'Garden', outcome: 'connected' });
  expect(await (await recordIn('robot')).last()).toBeNull();
});
