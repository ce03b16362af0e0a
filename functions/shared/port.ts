import type { Config } from './config.ts';
import type { Logger } from './observability/logger.ts';
import type { Refusals } from './observability/refusals.ts';

/** A part of the world that handlers need, named, with the recipe that makes it from the configuration. */
export interface Port<T> {
  readonly name: string;
  readonly make: (ports: Ports) => T | Promise<T>;
  close?(value: T): unknown;
  /** Repairs what a pause of the whole process has broken; see {@link Ports.thaw}. */
  thaw?(value: T): unknown;
  /** A fleet has one for each robot. */
  readonly perRobot?: true;
  /** What takes its place for callers who have shown no token for the robot. */
  readonly withoutToken?: () => T | Promise<T>;
}

/** Declares a port. Nothing is made before the first {@link Ports.get}. */
export function port<T>(
  name: string,
  make: Port<T>['make'],
  close?: (value: T) => unknown,
  marks: Pick<Port<T>, 'thaw' | 'perRobot' | 'withoutToken'> = {},
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
  /** Counts visitors of a fleet and robots that made room; absent: nobody does. */
  readonly refused?: Refusals;
  /** Ready-made ports, in place of the ones the configuration would choose; how tests hand in others. */
  readonly given?: ReadonlyArray<readonly [Port<unknown>, unknown]>;
}

/** Most robots of a fleet whose ports are kept; the least recently addressed one is closed first. */
const MAX_ROBOTS = 1_000;

/** Whom requests over a Unix socket are from, when they carry no token. */
export interface LocalIdentity {
  readonly clientId: string;
  readonly keyId: string;
}

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
  /** Who calls over a Unix socket without a token. */
  readonly local: LocalIdentity = { clientId: 'local', keyId: 'local' };
  readonly refused: Refusals | undefined;
  readonly #made = new Map<Port<unknown>, Promise<unknown>>();
  readonly #sets = new WeakMap<Uses, Promise<unknown>>();
  readonly #ready = new WeakMap<Uses, unknown>();
  readonly #given: ReadonlyMap<Port<unknown>, unknown>;
  readonly #robots = new Map<string, RobotPorts>();

  constructor({ config, logger, clock = Date.now, given = [], refused }: Surroundings) {
    this.refused = refused;
    this.config = config;
    this.logger = logger;
    this.clock = clock;
    this.#given = new Map(given);
  }

  /** The port, made at the first call. A recipe that fails is tried again at the next call. */
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

  /**
   * The container of one robot of a fleet: what is declared per robot is its own, the rest is shared with this one.
   * @param hasToken false for a caller who has shown no token yet: nothing is kept, opened or closed because of them.
   */
  forRobot(robotId: string, hasToken = true): Ports {
    const known = this.#robots.get(robotId);
    if (!hasToken) return known ?? new RobotPorts(this, robotId, false);
    const ports = known ?? new RobotPorts(this, robotId, true);
    this.#robots.delete(robotId);
    this.#robots.set(robotId, ports);
    if (this.#robots.size > MAX_ROBOTS) this.#makeRoom();
    return ports;
  }

  /** The same for a caller whose token was accepted. They are kept until they are released. */
  admit(): Admission {
    return { ports: this, release() {} };
  }

  /** A robot with requests under way stays, however long ago it was addressed. */
  #makeRoom(): void {
    for (const [robotId, ports] of this.#robots) {
      if (ports.busy) continue;
      this.#robots.delete(robotId);
      this.refused?.note('robots', 'Closed the link to the robot that was addressed longest ago', { robot: robotId });
      void ports.close();
      return;
    }
  }

  /**
   * Before each request of a function in the cloud: it may have been frozen since the last one, connections and all.
   */
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
          this.logger.error({ err: error, port: which.name }, 'closing a port failed');
        });
    }
    this.#made.clear();
  }
}

/** The ports of another container, but for some that are given, and for whom its Unix socket is. Closes nothing. */
export class PortsFor extends Ports {
  override readonly local: LocalIdentity;
  readonly #others: Ports;

  constructor(others: Ports, local: LocalIdentity, change: Pick<Surroundings, 'config' | 'given'>) {
    const { logger, clock, refused } = others;
    super({ logger, clock, ...change, ...(refused && { refused }) });
    this.#others = others;
    this.local = local;
  }

  override get<T>(which: Port<T>): Promise<T> {
    return this.gives(which) ? super.get(which) : this.#others.get(which);
  }
}

/** What a request with a valid token may use, to be released when the request is answered. */
interface Admission {
  readonly ports: Ports;
  readonly release: () => void;
}

class RobotPorts extends Ports {
  override readonly robotId: string;
  readonly #fleet: Ports;
  readonly #hasToken: boolean;
  #requests = 0;

  constructor(fleet: Ports, robotId: string, hasToken: boolean) {
    const { config, logger, clock } = fleet;
    const name = robotId === config.SERVICE_ROBOT_ID ? config.SERVICE_ROBOT_NAME : robotId;
    super({ config: { ...config, SERVICE_ROBOT_ID: robotId, SERVICE_ROBOT_NAME: name }, logger, clock });
    this.#fleet = fleet;
    this.robotId = robotId;
    this.#hasToken = hasToken;
  }

  get busy(): boolean {
    return this.#requests > 0;
  }

  override admit(): Admission {
    if (!this.#hasToken) return this.#fleet.forRobot(this.robotId).admit();
    this.#requests += 1;
    const release = () => {
      this.#requests -= 1;
    };
    return { ports: this, release };
  }

  override get<T>(which: Port<T>): Promise<T> {
    if (!this.#hasToken && which.withoutToken && !this.#fleet.gives(which)) {
      this.#fleet.refused?.note('visitors', 'Opened nothing for a robot without a token for it', {
        robot: this.robotId,
      });
      return Promise.resolve(which.withoutToken());
    }
    return which.perRobot && !this.#fleet.gives(which) ? super.get(which) : this.#fleet.get(which);
  }
}
