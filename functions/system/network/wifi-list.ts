import type * as z from 'zod';
import type { CurrentConnection, Wifi } from './port.ts';
import type { WifiConnection, WifiList } from './wifi-list.schema.ts';
import type { WifiRecord } from './wifi-record.ts';

/**
 * The networks in range, strongest first, and the one in use (specification, section 4.6). Does not scan while a
 * configuration is in progress, because that would disturb the join.
 * @throws ServiceError `component_unavailable`.
 */
export async function listWifi(wifi: Wifi, record: WifiRecord): Promise<z.input<typeof WifiList>> {
  const joining = (await record.last())?.outcome === 'in_progress';
  const { current, accessPoints, scannedAt } = await wifi.survey({ scan: !joining });
  const networks = accessPoints.map(({ ssid, bssid, signal, frequency, security, inUse, saved }) => {
    return { ssid, bssid, signal, frequency, band: bandOf(frequency), security, in_use: inUse, saved };
  });
  return {
    current: current && describeConnection(current),
    networks: networks.sort((a, b) => b.signal - a.signal),
    scanned_at: scannedAt === null ? null : new Date(scannedAt).toISOString(),
    last_configure: await record.last(),
  };
}

/** A connection as it appears in responses. */
export function describeConnection(connection: CurrentConnection): z.input<typeof WifiConnection> {
  const { ssid, bssid, signal, frequency, security, ipAddresses } = connection;
  const band = frequency === null ? null : bandOf(frequency);
  return { ssid, bssid, signal, frequency, band, security, ip_addresses: [...ipAddresses] };
}

/** The IEEE 802.11 band of a centre frequency in MHz. */
function bandOf(frequency: number): '2.4GHz' | '5GHz' | '6GHz' | 'unknown' {
  if (frequency >= 2400 && frequency < 2500) return '2.4GHz';
  if (frequency >= 4900 && frequency < 5925) return '5GHz';
  return frequency >= 5925 && frequency < 7130 ? '6GHz' : 'unknown';
}
