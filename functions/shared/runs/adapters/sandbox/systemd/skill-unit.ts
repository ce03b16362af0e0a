import { BusError } from '../../../../kit/system-bus.ts';
import { isUnknownUnit, SystemdBus, saidBy } from '../../../../kit/systemd-bus.ts';
import { within } from '../../../../kit/within.ts';

const SIGKILL = 9;
const LOOK_MS = 1_000;
/** Values of `ExecMainCode` (waitid(2)). */
const CLD_EXITED = 1;
/** systemd tells a signal by its number. */
const SIGNALS: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
  31: 'SIGSYS',
};

/** How a unit has ended, as systemd says. */
export interface UnitEnd {
  /** Of its main process; null if it never began or was killed. */
  readonly code: number | null;
  readonly signal: string | null;
  /** `success`, `oom-kill`, `timeout` … (systemd.exec(5), `$SERVICE_RESULT`) */
  readonly result: string;
  /** Somebody else had systemd end it. */
  readonly asked: boolean;
}

/** The name of the unit of a run. */
export const unitOf = (runId: string) => `robot-skill@${runId}.service`;

/**
 * The unit of one run. Its state is read from systemd whenever something happens to it, and every second, over a
 * connection that keeps the unit loaded until its end was read.
 */
export class SkillUnit {
  readonly #name: string;
  readonly #address: string | undefined;
  #bus: SystemdBus | undefined;
  #path = '';
  /** Jobs that systemd has got for it: the first starts it. */
  #jobs = 0;
  /** Whether somebody else had it ended before this service did. */
  #asked: boolean | undefined;
  #killing: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  constructor(runId: string, address: string | undefined) {
    this.#name = unitOf(runId);
    this.#address = address;
  }

  /** Has systemd start it. @throws BusError */
  async start(): Promise<void> {
    const bus = await this.#connect();
    await bus.manager('StartUnit', 'ss', [this.#name, 'fail']);
  }

  /** Waits for its end, however long that takes and whatever happens to the bus meanwhile. */
  async ended(): Promise<UnitEnd> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const end = await this.#look().catch(() => this.#disconnect());
      if (end) return end;
      await within(woken, LOOK_MS, () => undefined);
    }
  }

  /** Looks at its state now. */
  look(): void {
    this.#wake();
  }

  /** Kills all of its processes, or keeps it from starting. May be repeated; never throws. */
  kill(): void {
    this.#asked ??= this.#jobs > 1;
    this.#killing ??= killUnit(this.#name, this.#address)
      .catch(() => undefined) // it is repeated until the unit has ended
      .finally(() => {
        this.#killing = undefined;
      });
  }

  /** Reads a property while it runs. @throws BusError */
  async property(of: 'Unit' | 'Service', name: string): Promise<unknown> {
    return (await this.#connect()).property(this.#path, of, name);
  }

  close(): void {
    this.#disconnect();
  }

  async #look(): Promise<UnitEnd | undefined> {
    const bus = await this.#connect();
    const state = String(await bus.property(this.#path, 'Unit', 'ActiveState'));
    const [job] = (await bus.property(this.#path, 'Unit', 'Job')) as [number]; // as: its type is (uo)
    if (!['inactive', 'failed'].includes(state)) return undefined;
    if (job !== 0 && this.#jobs < 2) return undefined; // it waits to be started; later jobs end it, or would restart it
    const read = (name: string) => bus.property(this.#path, 'Service', name);
    const [result, how, status] = [
      await read('Result'),
      await read('ExecMainCode'),
      Number(await read('ExecMainStatus')),
    ];
    const asked = (this.#asked ?? this.#jobs > 1) || (await this.#isServiceEnding(bus));
    if (how === CLD_EXITED) return { code: status, signal: null, result: String(result), asked };
    return {
      code: null,
      signal: how === 0 ? null : (SIGNALS[status] ?? `SIG${status}`),
      result: String(result),
      asked,
    };
  }

  /** Whether systemd is ending the unit of this service, and with it, beforehand, those of its runs. */
  async #isServiceEnding(bus: SystemdBus): Promise<boolean> {
    try {
      const [path] = await bus.manager('GetUnitByPID', 'u', [process.pid]);
      const [job] = (await bus.property(String(path), 'Unit', 'Job')) as [number]; // as: its type is (uo)
      return job !== 0;
    } catch {
      return false; // it is no unit of systemd's
    }
  }

  async #connect(): Promise<SystemdBus> {
    if (this.#bus) return this.#bus;
    const bus = await SystemdBus.connect(this.#address);
    try {
      const [path] = await bus.manager('LoadUnit', 's', [this.#name]);
      this.#path = String(path);
      await bus.unit(this.#path, 'Ref');
      const rules = [`member='JobNew',arg2='${this.#name}'`, `member='PropertiesChanged',path='${this.#path}'`];
      await bus.listen(rules, ({ member }) => {
        if (member === 'JobNew') this.#jobs += 1;
        this.#wake();
      });
    } catch (error) {
      bus.close();
      throw error;
    }
    this.#bus = bus;
    return bus;
  }

  #disconnect(): undefined {
    this.#bus?.close();
    this.#bus = undefined;
  }
}

/** Ends a unit: what waits to be started is not, and all processes are killed. @throws BusError */
export async function killUnit(name: string, address: string | undefined): Promise<void> {
  const bus = await SystemdBus.connect(address);
  try {
    await Promise.all([
      ifLoaded(bus.manager('StopUnit', 'ss', [name, 'replace'])),
      ifLoaded(bus.manager('KillUnit', 'ssi', [name, 'all', SIGKILL])),
    ]);
  } finally {
    bus.close();
  }
}

async function ifLoaded(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof BusError && isUnknownUnit(saidBy(error)))) throw error;
  }
}
