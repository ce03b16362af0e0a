import type { Job, ProcessListener, RunProcess, Sandbox, Workplace } from '../../../sandbox.port.ts';
import type { UnitPlace, UnitPlaces } from './unit-places.ts';
import { UnitProcess } from './unit-process.ts';

/**
 * Runs each skill in a unit of its own, `robot-skill@<run>.service`, which the installer has put there with all of its
 * walls: polkit can limit the service to such names and three verbs, but not what a unit made with StartTransientUnit
 * would contain, which could be anything as root.
 */
export class SystemdSandbox implements Sandbox {
  readonly name = 'systemd';
  readonly #places: UnitPlaces;
  readonly #address: string | undefined;

  /** @param address of the system bus; without one the standard one. */
  constructor(places: UnitPlaces, address: string | undefined) {
    this.#places = places;
    this.#address = address;
  }

  openWorkplace(runId: string): Promise<Workplace> {
    return this.#places.openFor(runId);
  }

  start(runId: string, _slot: number, job: Job, workplace: Workplace, listener: ProcessListener): RunProcess {
    const place = workplace as UnitPlace; // as: from openWorkplace
    return new UnitProcess({ runId, job, place, listener, address: this.#address });
  }

  async close(): Promise<void> {
    // the folder belongs to the installation
  }
}
