import * as z from 'zod';

const signal = z.int().min(0).max(100).describe('percent');
const frequency = z.int().min(0).describe('MHz');
const band = z.enum(['2.4GHz', '5GHz', '6GHz', 'unknown']);
const security = z
  .enum(['open', 'owe', 'wpa-psk', 'sae', 'wpa-eap', 'other'])
  .describe('`wpa-psk` also if WPA3 is offered as well; `other` cannot be configured here');

export const WifiConnection = z
  .object({
    ssid: z.string(),
    bssid: z.string().nullable(),
    signal: signal.nullable(),
    frequency: frequency.nullable(),
    band: band.nullable(),
    security: security.nullable(),
    ip_addresses: z.array(z.string()).describe('IPv4 first; without link-local ones'),
  })
  .meta({
    id: 'WifiConnection',
    example: {
      ssid: 'Robot Lab',
      bssid: '02:00:00:00:01:01',
      signal: 82,
      frequency: 5180,
      band: '5GHz',
      security: 'wpa-psk',
      ip_addresses: ['192.0.2.17'],
    },
  });

const WifiNetwork = z
  .object({
    ssid: z.string().describe('empty when the network hides its name'),
    bssid: z.string(),
    signal,
    frequency,
    band,
    security,
    in_use: z.boolean(),
    saved: z.boolean().describe('a profile of this name is stored'),
  })
  .meta({ id: 'WifiNetwork' });

/** How the latest configure went. */
export const LastConfigure = z
  .object({
    ssid: z.string(),
    outcome: z
      .enum(['in_progress', 'connected', 'failed', 'interrupted'])
      .describe('`interrupted`: the service ended meanwhile, and the previous connection was restored'),
    code: z.string().exactOptional().describe('error code of a failure'),
    finished_at: z.string().nullable().describe('RFC 3339; null while in progress, or interrupted'),
  })
  .meta({ id: 'LastWifiConfigure' });
export type LastConfigure = Readonly<z.infer<typeof LastConfigure>>;

export const WifiList = z
  .object({
    current: WifiConnection.nullable(),
    networks: z.array(WifiNetwork).describe('strongest first'),
    scanned_at: z.string().nullable().describe('when the list was received, RFC 3339'),
    last_configure: LastConfigure.nullable(),
  })
  .meta({ id: 'WifiList' });

export const WifiConfigured = z
  .object({ ssid: z.string(), connected: z.literal(true), connection: WifiConnection })
  .meta({ id: 'WifiConfigured' });
