import type { Security } from '../../port.ts';

/** A made-up network. Its password is documented in docs/wifi.md and is not used anywhere else. */
export interface SimulatedNetwork {
  readonly ssid: string;
  readonly hidden?: true;
  readonly bssid: string;
  readonly signal: number;
  readonly frequency: number;
  readonly security: Security;
  readonly password?: string;
  readonly identity?: string;
  /** The address assigned by DHCP; null if DHCP fails. */
  readonly address: string | null;
}

export const NETWORKS: readonly SimulatedNetwork[] = [
  {
    ssid: 'Robot Lab',
    bssid: '02:00:00:00:01:01',
    signal: 82,
    frequency: 5180,
    security: 'wpa-psk',
    password: 'simulated',
    address: '192.0.2.17',
  },
  {
    ssid: 'Workshop',
    bssid: '02:00:00:00:01:02',
    signal: 64,
    frequency: 2437,
    security: 'wpa-psk',
    password: 'simulated',
    address: '198.51.100.23',
  },
  {
    ssid: 'Lab WPA3',
    bssid: '02:00:00:00:01:03',
    signal: 58,
    frequency: 5955,
    security: 'sae',
    password: 'simulated',
    address: '198.51.100.81',
  },
  {
    ssid: 'Campus',
    bssid: '02:00:00:00:01:04',
    signal: 51,
    frequency: 5500,
    security: 'wpa-eap',
    identity: 'robot',
    password: 'simulated',
    address: '203.0.113.9',
  },
  { ssid: 'Café', bssid: '02:00:00:00:01:05', signal: 37, frequency: 2412, security: 'open', address: '203.0.113.64' },
  {
    ssid: 'Backroom',
    hidden: true,
    bssid: '02:00:00:00:01:06',
    signal: 33,
    frequency: 2462,
    security: 'wpa-psk',
    password: 'simulated',
    address: '198.51.100.140',
  },
  { ssid: 'No Address', bssid: '02:00:00:00:01:07', signal: 21, frequency: 2472, security: 'open', address: null },
];
