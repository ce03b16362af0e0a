import type { ServiceError } from '../../../../shared/errors.ts';
import type { BusSignal } from '../../../../shared/kit/system-bus.ts';
import type { Security } from '../../port.ts';
import type { Manager } from './manager.ts';
import { ACTIVE, ACTIVE_STATE, DEVICE, NM, NO_OBJECT, ROOT, STATE } from './names.ts';
import { failure, overdue } from './state-reason.ts';

interface Activation {
  readonly devicePath: string;
  readonly profilePath: string;
  readonly security: Security;
  readonly limitSeconds: number;
}

/** How long to wait for the device's reason of a failure, which is more precise than that of the active connection. */
const REASON_GRACE_MS = 300;

/**
 * Activates a profile on a device and waits until it is connected and has addresses.
 * @throws ServiceError as described in state-reason.ts, also at the time limit; BusError.
 */
export async function activate(manager: Manager, wanted: Activation): Promise<void> {
  const { devicePath, profilePath } = wanted;
  await manager.bus.match(
    `type='signal',sender='${NM}',path='${devicePath}',interface='${DEVICE}',member='StateChanged'`,
  );
  await manager.bus.match(`type='signal',sender='${NM}',interface='${ACTIVE}',member='StateChanged'`);
  const watch = new ActivationWatch(wanted);
  const unsubscribe = manager.bus.listen((signal) => watch.handleSignal(signal));
  try {
    const body = [profilePath, devicePath, NO_OBJECT];
    const [active] = await manager.call(ROOT, NM, 'ActivateConnection', 'ooo', body);
    const { State } = await manager.properties(String(active), ACTIVE).catch(() => ({ State: undefined }));
    watch.follow(String(active), Number(State ?? 0));
    await Promise.race([watch.settled, manager.bus.gone]);
  } finally {
    unsubscribe();
    watch.close();
  }
}

/** Waits for one activation by listening to the signals of the device and the active connection. */
class ActivationWatch {
  readonly settled: Promise<void>;
  readonly #wanted: Activation;
  /** Latest signalled state of each active connection. */
  readonly #states = new Map<string, number>();
  readonly #timers: NodeJS.Timeout[];
  #succeed: () => void = () => undefined;
  #fail: (error: ServiceError) => void = () => undefined;
  #deviceState = 0;
  #reason = 0;
  #active: string | undefined;

  constructor(wanted: Activation) {
    this.#wanted = wanted;
    this.settled = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    this.settled.catch(() => undefined); // may fail before it is awaited
    const late = () => this.#fail(overdue(this.#deviceState, wanted.security));
    this.#timers = [setTimeout(late, wanted.limitSeconds * 1000)];
  }

  /** Follows this active connection. Its signals may have arrived before its path was known. */
  follow(active: string, state: number): void {
    this.#active = active;
    this.#handleActiveState(this.#states.get(active) ?? state);
  }

  handleSignal({ path, interface: from, body }: BusSignal): void {
    if (from === DEVICE && path === this.#wanted.devicePath) this.#handleDeviceState(Number(body[0]), Number(body[2]));
    if (from !== ACTIVE) return;
    this.#states.set(path, Number(body[0]));
    if (path === this.#active) this.#handleActiveState(Number(body[0]));
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #handleDeviceState(state: number, reason: number): void {
    this.#deviceState = state;
    // The previous connection ends with reasons of its own, which no longer matter once the new one is being prepared.
    if (reason !== 0 || state === STATE.prepare) this.#reason = reason;
    if (state === STATE.failed) this.#fail(failure(reason, this.#wanted.security));
  }

  #handleActiveState(state: number): void {
    if (state === ACTIVE_STATE.activated) this.#succeed();
    if (state !== ACTIVE_STATE.deactivated) return;
    const fail = () => this.#fail(failure(this.#reason, this.#wanted.security));
    this.#timers.push(setTimeout(fail, REASON_GRACE_MS));
  }
}
