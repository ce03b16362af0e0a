import type { Config } from './config.ts';
import type { Logger } from './logger.ts';

/** A part of the world that handlers need, named, with the recipe that makes it from the configuration. */
export interface Port<T> {
  readonly name: string;
  readonly make: (ports: Ports) => T | Promise<T>;
  close?(value: T): unknown;
  /** Makes good what a pause of the whole process has broken; see {@link Ports.thaw}. */
  thaw?(value: T): unknown;
  /** A fleet has one for each robot. */
  readonly perRobot?: true;
  /** What stands in for one robot's own as long as nobody has shown a token for that robot. */
  readonly unasked?: () => T | Promise<T>;
}

/** Declares a port. Nothing is made before the first {@link Ports.get}. */
export function port<T>(
  name: string,
  make: Port<T>['make'],
  close?: (value: T) => unknown,
  marks: Pick<Port<T>, 'thaw' | 'perRobot' | 'unasked'> = {},
): Port<T> {
  return close ? { name, make, close, ...marks } : { name, make, ...marks };
}

/** What an endpoint says it uses, by the name under which its handler receives it. */
export type Uses = Readonly<Record<string, Port<unknown>>>;
export type Resolved<U extends Uses> = { readonly [Name in keyof U]: U[Name] extends Port<infer T> ? T : never };

export interface Surroundings {
  readonly config: Config;
  readonly logger: Logger;
  /** Now, in ms since the epoch. */
  readonly clock?: () => number;
  /** Ready-made ports, in place of the ones the configuration would choose; how tests hand in others. */
  readonly given?: ReadonlyArray<readonly [Port<unknown>, unknown]>;
}

/** Most robots of a fleet whose ports are kept; the one that was addressed longest ago makes room. */
const MOST_ROBOTS = 1_000;

/** A ready-made value for a port, typed at the place where it is given. */
export function give<T>(which: Port<T>, value: T): readonly [Port<unknown>, unknown] {
  return [which, value];
}

/** The container: makes each port at most once, lazily, and closes what it made in reverse order. */
export class Ports {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: () => number;
  /** Which robot of a fleet these are for; undefined for a fleet as a whole, and where there is one robot only. */
  readonly robotId: string | undefined = undefined;
  readonly #made = new Map<Port<unknown>, Promise<unknown>>();
  readonly #sets = new WeakMap<Uses, Promise<unknown>>();
  readonly #ready = new WeakMap<Uses, unknown>();
  readonly #given: ReadonlyMap<Port<unknown>, unknown>;
  readonly #robots = new Map<string, RobotPorts>();

  constructor({ config, logger, clock = Date.now, given = [] }: Surroundings) {
    this.config = config;
    this.logger = logger;
    this.clock = clock;
    this.#given = new Map(given);
  }

  /** The port, made at the first call. A recipe that fails is tried anew at the next call. */
  get<T>(which: Port<T>): Promise<T> {
    let made = this.#made.get(which);
    if (!made) {
      made = this.#given.has(which)
        ? Promise.resolve(this.#given.get(which))
        : Promise.resolve().then(() => which.make(this));
      this.#made.set(which, made);
      made.catch(() => this.#made.delete(which));
    }
    return made as Promise<T>; // as: the map forgets T, the key knows it
  }

  /** All ports an endpoint uses. After the first time they come without a turn of the event loop. */
  resolve<U extends Uses>(uses: U): Resolved<U> | Promise<Resolved<U>> {
    const ready = this.#ready.get(uses);
    if (ready) return ready as Resolved<U>; // as: keyed by the very `uses` it was made from
    let set = this.#sets.get(uses);
    if (!set) {
      set = this.#assemble(uses);
      this.#sets.set(uses, set);
      set.then(
        (value) => this.#ready.set(uses, value as object),
        () => this.#sets.delete(uses),
      );
    }
    return set as Promise<Resolved<U>>; // as: keyed by the very `uses` it was made from
  }

  async #assemble(uses: Uses): Promise<unknown> {
    const entries: Array<readonly [string, unknown]> = [];
    for (const [name, which] of Object.entries(uses)) entries.push([name, await this.get(which)]);
    return Object.fromEntries(entries);
  }

  /** The container of one robot of a fleet: what is declared per robot is its own, the rest is shared with this one. */
  forRobot(robotId: string): Ports {
    const ports = this.#robots.get(robotId) ?? new RobotPorts(this, robotId);
    this.#robots.delete(robotId);
    this.#robots.set(robotId, ports);
    if (this.#robots.size > MOST_ROBOTS) this.#makeRoom();
    return ports;
  }

  /** As {@link forRobot}, for who has shown no token yet: nothing is kept, opened or pushed out for a robot because of them. */
  visit(robotId: string): Ports {
    return this.#robots.get(robotId) ?? new RobotPorts(this, robotId, true);
  }

  /** These, or for a visitor those of the robot, once its token was accepted. They stay as long as the request: {@link leave}. */
  enter(): Ports {
    return this;
  }

  /** The request that has entered is answered. */
  leave(): void {}

  /** A robot with requests under way stays, however long ago it was addressed. */
  #makeRoom(): void {
    for (const [robotId, ports] of this.#robots) {
      if (ports.busy) continue;
      this.#robots.delete(robotId);
      void ports.close();
      return;
    }
  }

  /** Before each request of a function in the cloud: it may have been frozen since the last one, connections and all. */
  async thaw(): Promise<void> {
    for (const [which, made] of this.#made) if (which.thaw) await which.thaw(await made);
  }

  /** True when the port was handed in ready-made. */
  gives(which: Port<unknown>): boolean {
    return this.#given.has(which);
  }

  /** Closes every port that was made here (given ones belong to who gave them). */
  async close(): Promise<void> {
    await Promise.all([...this.#robots.values()].map((robot) => robot.close()));
    for (const [which, made] of [...this.#made].reverse()) {
      if (this.#given.has(which)) continue;
      await made
        .then((value) => which.close?.(value))
        .catch((error: unknown) => {
          this.logger.error({ err: error, port: which.name }, 'a port did not close');
        });
    }
    this.#made.clear();
  }
}

class RobotPorts extends Ports {
  override readonly robotId: string;
  readonly #fleet: Ports;
  readonly #visiting: boolean;
  #requests = 0;

  constructor(fleet: Ports, robotId: string, visiting = false) {
    const { config, logger, clock } = fleet;
    super({ config: { ...config, SERVICE_ROBOT_ID: robotId }, logger, clock });
    this.#fleet = fleet;
    this.robotId = robotId;
    this.#visiting = visiting;
  }

  get busy(): boolean {
    return this.#requests > 0;
  }

  override enter(): Ports {
    if (this.#visiting) return this.#fleet.forRobot(this.robotId).enter();
    this.#requests += 1;
    return this;
  }

  override leave(): void {
    this.#requests -= 1;
  }

  override get<T>(which: Port<T>): Promise<T> {
    if (this.#visiting && which.unasked && !this.#fleet.gives(which)) return Promise.resolve(which.unasked());
    return which.perRobot && !this.#fleet.gives(which) ? super.get(which) : this.#fleet.get(which);
  }
}
