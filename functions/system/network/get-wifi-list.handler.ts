import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { wifi, wifiRecord } from './ports.ts';
import { WifiList } from './wifi-list.schema.ts';
import { listWifi } from './wifi-list.ts';

/** GET /api/{version}/network/get_wifi_list: scans, and reports the current connection. ADMIN or ENCHANTER. */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Scan for Wi-Fi networks and report the current connection',
  output: WifiList,
  uses: { wifi, wifiRecord },
  errors: ['component_unavailable'],
}).handler((_call, { wifi, wifiRecord }) => listWifi(wifi, wifiRecord));
