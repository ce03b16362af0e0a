import type { Config } from '../../../../shared/config.ts';
import type { Logger } from '../../../../shared/observability/logger.ts';
import type { Attempt, Survey, Wifi, WifiProfile } from '../../port.ts';
import { certificateProblem } from '../certificate-file.ts';
import { DeviceAttempt } from './attempt.ts';
import { type Device, wifiDevice } from './device.ts';
import { explain, Manager, networkManagerUnavailable } from './manager.ts';
import { scan } from './scan.ts';
import { type ProfileFrame, wifiSettings } from './settings.ts';
import { currentConnection, survey } from './survey.ts';

type WifiConfig = Pick<Config, 'SERVICE_DATA_DIR' | 'childEnvironment'>;

/**
 * The Wi-Fi of this machine, through NetworkManager's D-Bus interface. Each operation opens its own bus connection (8
 * ms), so that a restart of the bus or of NetworkManager needs no special handling.
 */
export class NetworkManagerWifi implements Wifi {
  readonly kind = 'network-manager';
  readonly #config: WifiConfig;
  readonly #clock: () => number;
  readonly #logger: Logger;
  readonly #open = new Set<Manager>();
  #scanning: Promise<Survey> | undefined;

  constructor(config: WifiConfig, clock: () => number, logger: Logger) {
    this.#config = config;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Concurrent callers share one scan. */
  survey({ scan }: { readonly scan: boolean }): Promise<Survey> {
    if (!scan) return this.#survey(false);
    this.#scanning ??= this.#survey(true).finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  certificateProblem(path: string): Promise<string | undefined> {
    return certificateProblem(path, this.#config.SERVICE_DATA_DIR);
  }

  async begin(rollbackSeconds: number): Promise<Attempt> {
    const manager = await this.#connect();
    try {
      const device = await wifiDevice(manager);
      const attempt = await DeviceAttempt.begin(manager, device, rollbackSeconds, this.#logger);
      return this.#attempt(manager, device, attempt);
    } catch (error) {
      this.#disconnect(manager);
      throw explain(error);
    }
  }

  close(): void {
    for (const manager of this.#open) manager.close();
    this.#open.clear();
  }

  #attempt(manager: Manager, device: Device, attempt: DeviceAttempt): Attempt {
    let joined: WifiProfile | undefined;
    const settingsOf = (profile: WifiProfile) => (frame: ProfileFrame) => wifiSettings(profile, frame);
    return {
      join: async (profile, limitSeconds) => {
        joined = profile;
        try {
          await attempt.join(settingsOf(profile), profile.credentials.kind, limitSeconds);
          const current = await currentConnection(manager, device.path);
          if (!current) throw networkManagerUnavailable('It lost the connection right after connecting.');
          return current;
        } catch (error) {
          throw explain(error);
        }
      },
      keep: async () => {
        if (!joined) return;
        const name = Buffer.from(joined.ssid, 'utf8');
        try {
          await attempt.keep(
            settingsOf(joined),
            ({ ssid, interfaceName }) =>
              ssid.equals(name) && (interfaceName === null || interfaceName === device.interfaceName),
          );
        } catch (error) {
          throw explain(error);
        }
        this.#disconnect(manager);
      },
      undo: async () => {
        const restored = await attempt.undo();
        this.#disconnect(manager);
        return restored;
      },
    };
  }

  async #survey(rescan: boolean): Promise<Survey> {
    const manager = await this.#connect();
    try {
      const device = await wifiDevice(manager);
      if (rescan) await scan(manager, device);
      return await survey(manager, device, this.#clock);
    } catch (error) {
      throw explain(error);
    } finally {
      this.#disconnect(manager);
    }
  }

  async #connect(): Promise<Manager> {
    const manager = await Manager.connect(this.#config.childEnvironment.DBUS_SYSTEM_BUS_ADDRESS);
    this.#open.add(manager);
    return manager;
  }

  #disconnect(manager: Manager): void {
    this.#open.delete(manager);
    manager.close();
  }
}
