import { join } from 'node:path';
import { type Port, port } from '../../shared/port.ts';
import type { Wifi } from './port.ts';
import type { WifiRecord } from './wifi-record.ts';

/** The robot's Wi-Fi: simulated, or NetworkManager's in robot mode. */
export const wifi: Port<Wifi> = /* @__PURE__ */ port(
  'wifi',
  async ({ config, logger, clock }) => {
    if (config.SERVICE_MODE === 'sim') {
      const { SimulatedWifi } = await import('./adapters/simulated/simulated-wifi.ts');
      return new SimulatedWifi(config.SERVICE_DATA_DIR, clock);
    }
    const { NetworkManagerWifi } = await import('./adapters/network-manager/network-manager.ts');
    return new NetworkManagerWifi(config, clock, logger);
  },
  (wifi) => wifi.close(),
);

/** The outcome of the last Wi-Fi configuration, kept in the data folder. */
export const wifiRecord: Port<WifiRecord> = /* @__PURE__ */ port(
  'wifi record',
  async ({ config, logger, clock }) => {
    const { fileRecord } = await import('./adapters/wifi-record-file.ts');
    // A simulated outcome must not appear as the robot's after a change of SERVICE_MODE.
    const name = config.SERVICE_MODE === 'sim' ? 'last-wifi-configure.simulated.json' : 'last-wifi-configure.json';
    return fileRecord(join(config.SERVICE_DATA_DIR, name), clock, logger);
  },
  (record) => record.close(),
);
