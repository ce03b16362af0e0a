import { type ServiceError, unavailable } from '../../../errors.ts';
import { NM } from './names.ts';
import { BUS_GONE, BusError, NO_ANSWER, SystemBus } from './system-bus.ts';

const TURN_ON =
  'Install NetworkManager 1.20 or newer and turn it on (`systemctl enable --now NetworkManager`), and let it manage the Wi-Fi device.';

/** `component_unavailable` for NetworkManager, naming what to do; the cause goes to the log. */
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

  /** One call. `secret` marks a body that holds one. Throws BusError for what NetworkManager itself refuses. */
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

/** A failed call as a client may see it: no NetworkManager, not allowed to, too old, or refused. Other errors pass. */
export function explain(error: unknown): unknown {
  if (!(error instanceof BusError)) return error;
  if (error.reason === NO_ANSWER) return networkManagerUnavailable('It does not answer. Look at its log.', error);
  if (error.reason === BUS_GONE) {
    return networkManagerUnavailable(`The system bus (D-Bus) cannot be reached. ${TURN_ON}`, error);
  }
  if (/\.(AccessDenied|PermissionDenied|NotAuthorized)$/.test(error.reason)) {
    return networkManagerUnavailable(
      'It does not let this service change the network. Run the service as root or allow its user in polkit.',
      error,
    );
  }
  if (/\.(UnknownMethod|UnknownInterface)$/.test(error.reason)) {
    return networkManagerUnavailable('It is too old for this service: version 1.20 or newer is needed.', error);
  }
  if (error.reason.startsWith('org.freedesktop.DBus.Error.')) return networkManagerUnavailable(TURN_ON, error);
  return networkManagerUnavailable(`It refused with ${error.reason}. Its log says why.`, error);
}
