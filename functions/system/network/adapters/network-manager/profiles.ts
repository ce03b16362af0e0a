import type { Manager } from './manager.ts';
import { PROFILE, PROFILES, SETTINGS } from './names.ts';

export interface StoredProfile {
  readonly path: string;
  readonly uuid: string;
  readonly ssid: Buffer;
  /** Null if the profile applies to any device. */
  readonly interfaceName: string | null;
}

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The stored Wi-Fi profiles for joining networks, without those for this machine's own hotspots. */
export async function wifiProfiles(manager: Manager): Promise<StoredProfile[]> {
  const [paths] = await manager.call(SETTINGS, PROFILES, 'ListConnections');
  const found: StoredProfile[] = [];
  for (const path of paths as string[]) {
    // as: ListConnections answers ao
    const [settings] = await manager.call(path, PROFILE, 'GetSettings').catch(() => [{}]); // it may have been deleted meanwhile
    const { connection, '802-11-wireless': wireless } = settings as Sections; // as: GetSettings answers a{sa{sv}}
    if (!wireless || !Buffer.isBuffer(wireless.ssid) || (wireless.mode ?? 'infrastructure') !== 'infrastructure')
      continue;
    const bound = connection?.['interface-name'];
    found.push({
      path,
      uuid: String(connection?.uuid),
      ssid: wireless.ssid,
      interfaceName: bound === undefined ? null : String(bound),
    });
  }
  return found;
}
