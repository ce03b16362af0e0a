import type { Config } from '../../../config.ts';
import type { Logger } from '../../../logger.ts';
import { certificateFault } from '../certificate-file.ts';
import type { Attempt, Survey, Wifi, WifiProfile } from '../port.ts';
import { DeviceAttempt } from './attempt.ts';
import { type Device, wifiDevice } from './device.ts';
import { explain, Manager, networkManagerUnavailable } from './manager.ts';
import { scan } from './scan.ts';
import { type ProfileFrame, wifiSettings } from './settings.ts';
import { currentConnection, survey } from './survey.ts';

type Surroundings = Pick<Config, 'SERVICE_DATA_DIR' | 'childEnvironment'>;

/**
 * The Wi-Fi of this machine through NetworkManager's D-Bus interface. Each piece of work has a connection to the bus of
 * its own (8 ms), so that a restarted bus or NetworkManager is found again without further ado.
 */
export class NetworkManagerWifi implements Wifi {
  readonly kind = 'network-manager';
  readonly #config: Surroundings;
  readonly #clock: () => number;
  readonly #logger: Logger;
  readonly #open = new Set<Manager>();
  #scanning: Promise<Survey> | undefined;

  constructor(config: Surroundings, clock: () => number, logger: Logger) {
    this.#config = config;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Callers that come while a scan runs share it. */
  survey({ scan: anew }: { readonly scan: boolean }): Promise<Survey> {
    if (!anew) return this.#survey(false);
    this.#scanning ??= this.#survey(true).finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  certificateFault(path: string): Promise<string | undefined> {
    return certificateFault(path, this.#config.SERVICE_DATA_DIR);
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
          if (!current) throw networkManagerUnavailable('It lost the connection as soon as it stood.');
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
        const back = await attempt.undo();
        this.#disconnect(manager);
        return back;
      },
    };
  }

  async #survey(anew: boolean): Promise<Survey> {
    const manager = await this.#connect();
    try {
      const device = await wifiDevice(manager);
      if (anew) await scan(manager, device);
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
