import { type BusError, type BusSignal, SystemBus } from './system-bus.ts';

const SYSTEMD = 'org.freedesktop.systemd1';
const MANAGER_PATH = '/org/freedesktop/systemd1';
const DENIED = /AccessDenied|InteractiveAuthorizationRequired|[Aa]ccess denied|[Aa]uthentication (is )?required/;
const UNKNOWN = /NoSuchUnit|LoadFailed|UnitMasked|not found/;

/** Whether an answer of systemd says that polkit does not let this user do it. */
export function isDenied(said: string): boolean {
  return DENIED.test(said);
}

/** Whether an answer of systemd says that there is no such unit. */
export function isUnknownUnit(said: string): boolean {
  return UNKNOWN.test(said);
}

/** What a failed call was answered, for the two questions above. */
export function saidBy({ reason, text }: BusError): string {
  return `${reason} ${text}`.trim();
}

/** systemd over D-Bus (org.freedesktop.systemd1(5)), which asks polkit whether the user of this process may do it. */
export class SystemdBus {
  readonly #bus: SystemBus;

  private constructor(bus: SystemBus) {
    this.#bus = bus;
  }

  /** @param address of the bus; without one the standard system bus. @throws BusError */
  static async connect(address: string | undefined): Promise<SystemdBus> {
    return new SystemdBus(await SystemBus.connect(address));
  }

  /** Calls a method of the manager. @throws BusError */
  manager(member: string, signature = '', body: readonly unknown[] = []): Promise<readonly unknown[]> {
    const call = { destination: SYSTEMD, path: MANAGER_PATH, interface: `${SYSTEMD}.Manager`, member };
    return this.#bus.call({ ...call, signature, body });
  }

  /** Calls a method of a unit without arguments. @throws BusError */
  unit(path: string, member: string): Promise<readonly unknown[]> {
    return this.#bus.call({ destination: SYSTEMD, path, interface: `${SYSTEMD}.Unit`, member });
  }

  /** Reads a property of a unit. @throws BusError */
  async property(path: string, of: 'Unit' | 'Service', name: string): Promise<unknown> {
    const get = { destination: SYSTEMD, path, interface: 'org.freedesktop.DBus.Properties', member: 'Get' };
    const [value] = await this.#bus.call({ ...get, signature: 'ss', body: [`${SYSTEMD}.${of}`, name] });
    return value;
  }

  /** Calls back with the signals of systemd that a rule selects, beside `type` and `sender`. @throws BusError */
  async listen(rules: readonly string[], listener: (signal: BusSignal) => void): Promise<void> {
    this.#bus.listen(listener);
    for (const rule of rules) await this.#bus.match(`type='signal',sender='${SYSTEMD}',${rule}`);
    await this.manager('Subscribe');
  }

  close(): void {
    this.#bus.close();
  }
}
