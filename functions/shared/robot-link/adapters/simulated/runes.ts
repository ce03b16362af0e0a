import type { KnownRune, SimulatedHome } from '../../simulated-home.ts';
import { normalizeDegrees, toDegrees } from '../angle.ts';
import type { Pose } from './body.ts';
import { distance } from './surroundings.ts';

interface Rune extends KnownRune {
  readonly x: number;
  readonly y: number;
}

type Press = 'clicked' | 'double_clicked' | 'long_pressed';

/** Where the runes lie on the floor of the simulated robot (metres); others lie somewhere within radio range. */
const PLACES: Readonly<Record<string, { readonly x: number; readonly y: number }>> = {
  'rune-1': { x: 0, y: 1 },
  'rune-2': { x: 4, y: -1 },
  'rune-3': { x: 2, y: 5 },
  'rune-4': { x: 30, y: 30 },
};

const PRESSES: readonly Press[] = ['clicked', 'double_clicked', 'long_pressed'];
const MINUTE = 60_000;
const PRESS_SHOWN_MS = 5_000;
const RADIO_RANGE_METRES = 10;
const RSSI_AT_ONE_METRE = -45;

/** The runes around the robot: who hears which follows from its pose, who is pressed from the time. */
export class Runes {
  readonly #pose: () => Pose;
  readonly #clock: () => number;
  readonly #known: SimulatedHome['runes'];
  readonly #commands = new Map<string, string>();

  constructor(pose: () => Pose, clock: () => number, known: SimulatedHome['runes']) {
    this.#pose = pose;
    this.#clock = clock;
    this.#known = known;
  }

  /** Asks the runes that are known now; no promise if they are at hand. */
  ask<T>(question: (runes: PlacedRunes) => T): T | Promise<T> {
    const known = this.#known();
    const placed = (runes: readonly KnownRune[]) =>
      new PlacedRunes(runes.map(place), this.#pose(), this.#clock(), this.#commands);
    return known instanceof Promise ? known.then((runes) => question(placed(runes))) : question(placed(known));
  }
}

/** The runes at one moment. */
export class PlacedRunes {
  readonly #runes: readonly Rune[];
  readonly #pose: Pose;
  readonly #now: number;
  readonly #commands: Map<string, string>;

  constructor(runes: readonly Rune[], pose: Pose, now: number, commands: Map<string, string>) {
    this.#runes = runes;
    this.#pose = pose;
    this.#now = now;
    this.#commands = commands;
  }

  detected(): string[] {
    return this.#runes.filter((rune) => this.rssi(rune.id) !== null).map(({ id }) => id);
  }

  /** Each rune is pressed once a minute, in turn; the kind of press changes from minute to minute. */
  pressed(press: Press): string[] {
    const now = this.#now;
    if (PRESSES[Math.floor(now / MINUTE) % PRESSES.length] !== press) return [];
    const within = now % MINUTE;
    return this.#runes
      .filter((_rune, index) => {
        const since = within - (index * MINUTE) / this.#runes.length;
        return since >= 0 && since < PRESS_SHOWN_MS;
      })
      .map(({ id }) => id);
  }

  /** Signal strength in dBm by the log-distance law, or null out of range. */
  rssi(id: string): number | null {
    const rune = this.#find(id);
    if (!rune) return null;
    const metres = Math.max(0.1, distance(this.#pose, rune));
    return metres > RADIO_RANGE_METRES ? null : Math.round(RSSI_AT_ONE_METRE - 20 * Math.log10(metres));
  }

  /** Where the signal comes from, degrees from straight ahead, or null out of range. */
  angleOfArrival(id: string): number | null {
    const rune = this.#find(id);
    if (!rune || this.rssi(id) === null) return null;
    const { x, y, theta } = this.#pose;
    return Math.round(normalizeDegrees(toDegrees(Math.atan2(rune.y - y, rune.x - x)) - theta));
  }

  details() {
    return this.#runes.map(({ id, label, x, y }) => ({
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
    if (!this.#find(id)) return false;
    this.#commands.set(id, command);
    return true;
  }

  #find(id: string): Rune | undefined {
    return this.#runes.find((rune) => rune.id === id);
  }
}

/** The same place for the same id. */
function place({ id, label }: KnownRune): Rune {
  const known = Object.hasOwn(PLACES, id) ? PLACES[id] : undefined;
  if (known) return { id, label, ...known };
  const sum = [...id].reduce((total, character) => (total * 31 + (character.codePointAt(0) ?? 0)) % 10_007, 7);
  return { id, label, x: (sum % 11) - 5, y: (Math.floor(sum / 11) % 11) - 5 };
}
