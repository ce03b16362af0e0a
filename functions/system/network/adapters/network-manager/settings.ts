import { type Typed, typed } from '../../../../shared/kit/system-bus.ts';
import type { WifiProfile } from '../../port.ts';
import { eapSettings } from './eap-settings.ts';

/** a{sa{sv}}: sections of typed settings, as nm-settings-dbus(5) names them. */
export type Sections = Record<string, Record<string, Typed>>;

/**
 * DHCP timeout: shorter than the time limit for joining, so that a network without addresses can be told apart from one
 * that does not respond.
 */
const DHCP_TIMEOUT_SECONDS = 25;

/** The part of a profile that differs between trial and stored version. */
export interface ProfileFrame {
  readonly uuid: string;
  /** Off until the profile has proven to work. */
  readonly autoconnect: boolean;
}

/** The settings of a profile, for its trial or for storing it. */
export function wifiSettings(profile: WifiProfile, { uuid, autoconnect }: ProfileFrame): Sections {
  return {
    connection: {
      id: typed('s', profile.ssid),
      uuid: typed('s', uuid),
      type: typed('s', '802-11-wireless'),
      autoconnect: typed('b', autoconnect),
    },
    '802-11-wireless': {
      ssid: typed('ay', Buffer.from(profile.ssid, 'utf8')),
      mode: typed('s', 'infrastructure'),
      ...(profile.hidden ? { hidden: typed('b', true) } : {}),
      ...(profile.band ? { band: typed('s', profile.band) } : {}),
    },
    ...securitySettings(profile),
    ipv4: { method: typed('s', 'auto'), 'dhcp-timeout': typed('i', DHCP_TIMEOUT_SECONDS) },
    ipv6: { method: typed('s', 'auto') },
  };
}

function securitySettings({ credentials }: WifiProfile): Sections {
  if (credentials.kind === 'open') return {};
  const keyManagement = { 'key-mgmt': typed('s', credentials.kind) };
  switch (credentials.kind) {
    case 'owe':
      return { '802-11-wireless-security': keyManagement };
    case 'wpa-psk':
    case 'sae':
      return { '802-11-wireless-security': { ...keyManagement, psk: typed('s', credentials.password) } };
    case 'wpa-eap':
      return { '802-11-wireless-security': keyManagement, '802-1x': eapSettings(credentials) };
  }
}
