import { type Port, port } from '../port.ts';
import type { EmergencyStop } from './port.ts';

/** A rune as `known_runes_table` lists it. */
export interface KnownRune {
  readonly id: string;
  readonly label: string;
}

/** State that the simulated robot shares with the other simulated parts of the service, so that they are consistent. */
export interface SimulatedHome {
  /** The loudspeaker, `percent` loud: the volume route and `sound_level` set the same one. */
  readonly speaker: { percent: number; muted: boolean };
  /** Ids of the known locations; not a promise if they are available at once. */
  locations(): readonly string[] | Promise<readonly string[]>;
  runes(): readonly KnownRune[] | Promise<readonly KnownRune[]>;
  /** Its emergency stop; most simulated robots have none. */
  readonly emergencyStop?: SimulatedEmergencyStop;
}

/** An emergency stop button for a simulated robot, for trying out what happens when it is pressed. */
export class SimulatedEmergencyStop implements EmergencyStop {
  readonly source = 'simulated button';
  #state: EmergencyStop['state'] = 'released';
  readonly #listeners: Array<() => void> = [];

  get state(): EmergencyStop['state'] {
    return this.#state;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  press(): void {
    this.#set('engaged');
  }

  release(): void {
    this.#set('released');
  }

  /** Simulates that its reports are lost. */
  lose(): void {
    this.#set('unknown');
  }

  #set(state: EmergencyStop['state']): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const STARTER_LOCATIONS: readonly string[] = ['charging_station', 'entrance', 'kitchen', 'workshop'];

export const STARTER_RUNES: readonly KnownRune[] = [
  { id: 'rune-1', label: 'Charging station' },
  { id: 'rune-2', label: 'Entrance' },
  { id: 'rune-3', label: 'Kitchen table' },
  { id: 'rune-4', label: 'Shed' },
];

/** The home of a robot without a database. */
export function starterHome(): SimulatedHome {
  return { speaker: { percent: 50, muted: false }, locations: () => STARTER_LOCATIONS, runes: () => STARTER_RUNES };
}

/** The local host provides one that reads the robot's tables. */
export const simulatedHome: Port<SimulatedHome> = /* @__PURE__ */ port('simulated home', starterHome);
