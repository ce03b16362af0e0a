import { type ServiceError, unavailable } from '../../../../shared/errors.ts';
import { BUS_GONE, BusError, NO_ANSWER, SystemBus } from '../../../../shared/kit/system-bus.ts';
import { NM } from './names.ts';

const ENABLE_HINT =
  'Install and enable NetworkManager 1.20 or newer (`systemctl enable --now NetworkManager`), and let it manage the Wi-Fi device.';

/** `component_unavailable` for NetworkManager, with a remedy; the cause goes to the log. */
export function networkManagerUnavailable(remedy: string, cause?: unknown): ServiceError {
  return unavailable('NetworkManager', remedy, cause);
}

/** NetworkManager over one connection to the bus: calls, properties and signals. */
export class Manager {
  readonly bus: SystemBus;

  private constructor(bus: SystemBus) {
    this.bus = bus;
  }

  /** @throws ServiceError `component_unavailable` when there is no bus. */
  static async connect(address: string | undefined): Promise<Manager> {
    try {
      return new Manager(await SystemBus.connect(address));
    } catch (error) {
      throw explain(error);
    }
  }

  /**
   * Calls a method. `secret` marks a body that contains a secret.
   * @throws BusError for errors returned by NetworkManager.
   */
  async call(path: string, from: string, member: string, signature = '', body: readonly unknown[] = [], secret?: true) {
    const call = { destination: NM, path, interface: from, member, signature, body };
    return this.bus.call(secret ? { ...call, secret } : call);
  }

  async properties(path: string, of: string): Promise<Readonly<Record<string, unknown>>> {
    const [all] = await this.call(path, 'org.freedesktop.DBus.Properties', 'GetAll', 's', [of]);
    return all as Record<string, unknown>; // as: GetAll answers a{sv}
  }

  close(): void {
    this.bus.close();
  }
}

/**
 * Converts a BusError to a ServiceError for the client: not running, not permitted, too old, or rejected. Keeps other
 * errors.
 */
export function explain(error: unknown): unknown {
  if (!(error instanceof BusError)) return error;
  if (error.reason === NO_ANSWER) return networkManagerUnavailable('It does not respond. Check its log.', error);
  if (error.reason === BUS_GONE) {
    return networkManagerUnavailable(`The system bus (D-Bus) cannot be reached. ${ENABLE_HINT}`, error);
  }
  if (/\.(AccessDenied|PermissionDenied|NotAuthorized)$/.test(error.reason)) {
    return networkManagerUnavailable(
      'It does not permit this service to change the network. Run the service as root, or authorize its user in polkit.',
      error,
    );
  }
  if (/\.(UnknownMethod|UnknownInterface)$/.test(error.reason)) {
    return networkManagerUnavailable('It is too old for this service: version 1.20 or newer is required.', error);
  }
  if (error.reason.startsWith('org.freedesktop.DBus.Error.')) return networkManagerUnavailable(ENABLE_HINT, error);
  return networkManagerUnavailable(`It rejected the request with ${error.reason}. Its log says why.`, error);
}
