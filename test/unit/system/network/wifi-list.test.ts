import { describe, expect, it } from '@jest/globals';
import type { AccessPoint, CurrentConnection, Wifi } from '../../../../functions/system/network/port.ts';
import { listWifi } from '../../../../functions/system/network/wifi-list.ts';
import { CONNECTION, FakeRecord, FakeWifi, heard } from '../../../support/fake-wifi.ts';

class SurveyedWifi extends FakeWifi implements Wifi {
  current: CurrentConnection | null = null;
  scannedAt: number | null = null;

  override async survey({ scan }: { readonly scan: boolean }) {
    return { ...(await super.survey({ scan })), current: this.current, scannedAt: this.scannedAt } as never; // as: the fake knows null alone
  }
}

const at = (frequency: number, signal = 50): AccessPoint => ({
  ...heard(`at ${frequency}`, 'open', signal),
  frequency,
});

describe('The list of networks', () => {
  it('names the band of each, strongest first', async () => {
    const wifi = new SurveyedWifi();
    wifi.scanned = [at(2412, 10), at(5180, 40), at(6115, 20), at(900, 30), at(60_480, 5)];
    const { networks } = await listWifi(wifi, new FakeRecord());
    expect(networks.map(({ frequency, band }) => [frequency, band])).toEqual([
      [5180, '5GHz'],
      [900, 'unknown'],
      [6115, '6GHz'],
      [2412, '2.4GHz'],
      [60_480, 'unknown'],
    ]);
  });

  it('gives the time of the last scan, if any', async () => {
    const wifi = new SurveyedWifi();
    expect(await listWifi(wifi, new FakeRecord())).toMatchObject({ current: null, scanned_at: null });
    wifi.scannedAt = Date.parse('2026-05-01T12:00:00Z');
    expect(await listWifi(wifi, new FakeRecord())).toMatchObject({ scanned_at: '2026-05-01T12:00:00.000Z' });
  });

  it('describes a connection even when its access point is not visible', async () => {
    const wifi = new SurveyedWifi();
    wifi.current = { ...CONNECTION, bssid: null, signal: null, frequency: null, security: null };
    expect((await listWifi(wifi, new FakeRecord())).current).toEqual({
      ssid: 'Kitchen',
      bssid: null,
      signal: null,
      frequency: null,
      band: null,
      security: null,
      ip_addresses: ['192.0.2.5'],
    });
  });

  it('is not scanned for during a configure', async () => {
    const wifi = new SurveyedWifi();
    const record = new FakeRecord();
    await record.start('Kitchen');
    expect((await listWifi(wifi, record)).last_configure).toMatchObject({ outcome: 'in_progress' });
    expect(wifi.steps).toEqual([]);
  });
});
