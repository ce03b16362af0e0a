import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { config } from '../../shared/ports.ts';
import { configureWifi } from './configure-wifi.ts';
import { wifi, wifiRecord } from './ports.ts';
import { WiFiConfig } from './wifi-config.schema.ts';
import { WifiConfigured } from './wifi-list.schema.ts';
import { describeConnection } from './wifi-list.ts';

/** POST /api/{version}/network/configure/: adds or updates a Wi-Fi network and connects. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Add or update a Wi-Fi network and connect to it',
  description:
    'Responds once the robot is connected, within two minutes. If that fails, the previous connection is restored. A client that loses its own connection because of the change finds the outcome in `last_configure` of get_wifi_list.',
  input: { body: WiFiConfig },
  output: WifiConfigured,
  audit: 'network.configure',
  uses: { config, wifi, wifiRecord },
  errors: [
    'busy',
    'conflict',
    'wifi_wrong_password',
    'wifi_eap_rejected',
    'wifi_ssid_not_found',
    'wifi_no_address',
    'wifi_timeout',
    'component_unavailable',
  ],
}).handler(async ({ valid: { body }, record: note }, { config, wifi, wifiRecord }) => {
  note('network.configure', { ssid: body.ssid, security: body.security, eap_method: body.eap_method });
  const allowUnverifiedEap = config.SERVICE_WIFI_ALLOW_UNVERIFIED_EAP;
  const connection = await configureWifi({ wifi, record: wifiRecord, allowUnverifiedEap }, body);
  return { ssid: body.ssid, connected: true, connection: describeConnection(connection) };
});
