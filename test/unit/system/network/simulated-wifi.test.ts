import { describe, expect, it } from '@jest/globals';
import { SimulatedWifi } from '../../../../functions/system/network/adapters/simulated/simulated-wifi.ts';
import { temporaryFolder } from '../../../support/world.ts';

const now = 1_800_000_000_000;
const simulated = () => new SimulatedWifi(temporaryFolder(), () => now, { scanMs: 1, joinMs: 1 });
const LIMIT_MS = 1_000;
const profile = (ssid: string, password?: string) => ({
  ssid,
  hidden: false,
  band: null,
  credentials: password === undefined ? ({ kind: 'open' } as const) : ({ kind: 'wpa-psk', password } as const),
});

describe('The simulated radio', () => {
  it('shows a hidden network only while connected to it', async () => {
    const wifi = simulated();
    const names = async () => (await wifi.survey({ scan: false })).accessPoints.map(({ ssid }) => ssid);
    expect(await names()).not.toContain('Backroom');
    const attempt = await wifi.begin();
    await attempt.join({ ...profile('Backroom', 'simulated'), hidden: true }, LIMIT_MS);
    await attempt.keep();
    expect(await names()).toContain('Backroom');
    const { current, accessPoints } = await wifi.survey({ scan: true });
    expect(current).toMatchObject({ ssid: 'Backroom', ipAddresses: ['198.51.100.140'] });
    expect(accessPoints.filter(({ saved }) => saved).map(({ ssid }) => ssid)).toEqual(['Robot Lab', 'Backroom']);
  });

  it('is disconnected during a join, and back on the previous network after it is undone', async () => {
    const wifi = simulated();
    const attempt = await wifi.begin();
    await attempt.keep(); // nothing was joined: nothing new is saved
    const joining = attempt.join(profile('Workshop', 'wrong password'), LIMIT_MS);
    expect((await wifi.survey({ scan: false })).current).toBeNull();
    await expect(joining).rejects.toMatchObject({ code: 'wifi_wrong_password' });
    await attempt.undo();
    const { current, accessPoints } = await wifi.survey({ scan: false });
    expect(current).toMatchObject({ ssid: 'Robot Lab' });
    expect(accessPoints.filter(({ saved }) => saved)).toHaveLength(1);
  });
});
