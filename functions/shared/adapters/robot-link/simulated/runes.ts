import { normalizeDegrees, toDegrees } from './angle.ts';
import type { Pose } from './body.ts';
import { distance } from './surroundings.ts';

interface Rune {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

export type Press = 'clicked' | 'double_clicked' | 'long_pressed';

/** Radio beacons with a button, placed on the floor of the simulated robot (metres). */
const RUNES: readonly Rune[] = [
  { id: 'rune-1', label: 'Charging station', x: 0, y: 1 },
  { id: 'rune-2', label: 'Entrance', x: 4, y: -1 },
  { id: 'rune-3', label: 'Kitchen table', x: 2, y: 5 },
  { id: 'rune-4', label: 'Shed', x: 30, y: 30 },
];

const PRESSES: readonly Press[] = ['clicked', 'double_clicked', 'long_pressed'];
const MINUTE = 60_000;
const PRESS_SPACING_MS = MINUTE / RUNES.length;
const PRESS_SHOWN_MS = 5_000;
const RADIO_RANGE_METRES = 10;
const RSSI_AT_ONE_METRE = -45;

/** The runes around the robot: who hears which follows from its pose, who is pressed from the time. */
export class Runes {
  readonly #pose: () => Pose;
  readonly #clock: () => number;
  readonly #commands = new Map<string, string>();

  constructor(pose: () => Pose, clock: () => number) {
    this.#pose = pose;
    this.#clock = clock;
  }

  detected(): string[] {
    return RUNES.filter((rune) => this.rssi(rune.id) !== null).map(({ id }) => id);
  }

  /** Each rune is pressed once a minute, in turn; the kind of press changes from minute to minute. */
  pressed(press: Press): string[] {
    const now = this.#clock();
    if (PRESSES[Math.floor(now / MINUTE) % PRESSES.length] !== press) return [];
    const within = now % MINUTE;
    return RUNES.filter((_rune, index) => {
      const since = within - index * PRESS_SPACING_MS;
      return since >= 0 && since < PRESS_SHOWN_MS;
    }).map(({ id }) => id);
  }

  /** Signal strength in dBm by the log-distance law, or null out of range. */
  rssi(id: string): number | null {
    const rune = find(id);
    if (!rune) return null;
    const metres = Math.max(0.1, distance(this.#pose(), rune));
    return metres > RADIO_RANGE_METRES ? null : Math.round(RSSI_AT_ONE_METRE - 20 * Math.log10(metres));
  }

  /** Where the signal comes from, degrees from straight ahead, or null out of range. */
  angleOfArrival(id: string): number | null {
    const rune = find(id);
    if (!rune || this.rssi(id) === null) return null;
    const pose = this.#pose();
    return Math.round(normalizeDegrees(toDegrees(Math.atan2(rune.y - pose.y, rune.x - pose.x)) - pose.theta));
  }

  details() {
    return RUNES.map(({ id, label, x, y }) => ({
      id,
      label,
      x,
      y,
      command: this.#commands.get(id) ?? null,
      rssi: this.rssi(id),
      angle_of_arrival: this.angleOfArrival(id),
    }));
  }

  /** Lets a press of the rune run a command. False for a rune that does not exist. */
  associate(id: string, command: string): boolean {
    if (!find(id)) return false;
    this.#commands.set(id, command);
    return true;
  }
}

function find(id: string): Rune | undefined {
  return RUNES.find((rune) => rune.id === id);
}
