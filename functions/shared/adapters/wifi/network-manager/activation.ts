import type { ServiceError } from '../../../errors.ts';
import type { Security } from '../port.ts';
import type { Manager } from './manager.ts';
import { ACTIVE, ACTIVE_STATE, DEVICE, NM, NO_OBJECT, ROOT, STATE } from './names.ts';
import { failure, overdue } from './state-reason.ts';
import type { BusSignal } from './system-bus.ts';

export interface Activation {
  readonly devicePath: string;
  readonly profilePath: string;
  readonly security: Security;
  readonly limitSeconds: number;
}

/** The device tells the better reason of an end than the active connection does; it is waited for this long. */
const REASON_GRACE_MS = 300;

/**
 * Activates a profile on a device and waits until it stands, addresses included.
 * @throws ServiceError as state-reason.ts tells, at the limit too; BusError.
 */
export async function activate(manager: Manager, wanted: Activation): Promise<void> {
  const { devicePath, profilePath } = wanted;
  await manager.bus.match(
    `type='signal',sender='${NM}',path='${devicePath}',interface='${DEVICE}',member='StateChanged'`,
  );
  await manager.bus.match(`type='signal',sender='${NM}',interface='${ACTIVE}',member='StateChanged'`);
  const watch = new Watch(wanted);
  const stop = manager.bus.listen((signal) => watch.hear(signal));
  try {
    const body = [profilePath, devicePath, NO_OBJECT];
    const [active] = await manager.call(ROOT, NM, 'ActivateConnection', 'ooo', body);
    const { State } = await manager.properties(String(active), ACTIVE).catch(() => ({ State: undefined }));
    watch.follow(String(active), Number(State ?? 0));
    await Promise.race([watch.settled, manager.bus.gone]);
  } finally {
    stop();
    watch.end();
  }
}

/** Waits for one activation, by what the device and the active connection signal. */
class Watch {
  readonly settled: Promise<void>;
  readonly #wanted: Activation;
  readonly #heard = new Map<string, number>();
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

  /** From here on this is the active connection; signals about it may have come before its name was known. */
  follow(active: string, state: number): void {
    this.#active = active;
    this.#activeState(this.#heard.get(active) ?? state);
  }

  hear({ path, interface: from, body }: BusSignal): void {
    if (from === DEVICE && path === this.#wanted.devicePath) this.#deviceMoved(Number(body[0]), Number(body[2]));
    if (from !== ACTIVE) return;
    this.#heard.set(path, Number(body[0]));
    if (path === this.#active) this.#activeState(Number(body[0]));
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #deviceMoved(state: number, reason: number): void {
    this.#deviceState = state;
    // The former connection ends with reasons of its own; they are done with when the new one is prepared.
    if (reason !== 0 || state === STATE.prepare) this.#reason = reason;
    if (state === STATE.failed) this.#fail(failure(reason, this.#wanted.security));
  }

  #activeState(state: number): void {
    if (state === ACTIVE_STATE.activated) this.#succeed();
    if (state !== ACTIVE_STATE.deactivated) return;
    const end = () => this.#fail(failure(this.#reason, this.#wanted.security));
    this.#timers.push(setTimeout(end, REASON_GRACE_MS));
  }
}
