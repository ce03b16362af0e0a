import { randomUUID } from 'node:crypto';
import type { Caller } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { Events } from '../events/events.port.ts';
import type { JsonObject } from '../kit/json.ts';
import type { Logger } from '../observability/logger.ts';
import type { OpenRunDoor } from './run-door.port.ts';
import { RunEntry } from './run-entry.ts';
import { RunHistory } from './run-history.ts';
import { assertArguments, assertMayRun, assertPlace, chooseFunction, depthBelow } from './run-request.ts';
import type { RunStore } from './run-store.port.ts';
import type { Sandbox, SandboxProbe } from './sandbox.port.ts';
import type { SkillSources } from './skill-source.port.ts';
import { Slots } from './slots.ts';
import { GRACE_MS, SupervisedRun } from './supervised-run.ts';

export const DEFAULT_TIMEOUT_S = 3_600;

export interface RunRequest {
  /** File name without `.py`. */
  readonly skill: string;
  readonly function?: string | undefined;
  readonly args?: JsonObject | undefined;
  readonly timeoutS?: number | undefined;
  /** Id of the caller's lease, under which the run moves the robot. Never stored. */
  readonly lease?: string | undefined;
  /** Where the arguments stand in the request, for pointers of errors. */
  readonly argsAt?: 'args' | 'value';
  /** A place that the caller has taken already, and keeps. */
  readonly slot?: number;
  /** {@link Runs.stops} when the request arrived; a stop since then refuses it. */
  readonly since?: number;
}

export interface RunsWorld {
  readonly clock: () => number;
  readonly logger: Logger;
  readonly events: Events;
  readonly store: RunStore;
  readonly sources: SkillSources;
  readonly probe: () => Promise<SandboxProbe>;
  readonly openDoor: OpenRunDoor;
  /** Runs at the same time. */
  readonly concurrency: number;
  /** Writes the end of a run to the audit trail. */
  readonly auditEnd: (run: RunEntry) => void;
}

/** Who starts a run. */
export type RunCaller = Pick<Caller, 'clientId' | 'keyId' | 'accessLevel'>;

/** The runs of skills on this machine: those under way, and the last ones that ended. */
export class Runs {
  readonly #world: RunsWorld;
  readonly slots: Slots;
  readonly #history: RunHistory;
  readonly #underWay = new Map<string, { readonly supervised: SupervisedRun; readonly done: Promise<void> }>();
  #closing = false;
  #used: Sandbox | undefined;
  /** How many stops there have been, for starts that were under way meanwhile. */
  #stops = 0;

  private constructor(world: RunsWorld) {
    this.#world = world;
    this.slots = new Slots(world.concurrency);
    this.#history = new RunHistory(world.store, world.logger);
  }

  /** With the runs of earlier processes; those that were under way are lost. */
  static async open(world: RunsWorld): Promise<Runs> {
    const runs = new Runs(world);
    await runs.#history.restore(world.clock);
    return runs;
  }

  /** How many stops of the robot there have been. */
  get stops(): number {
    return this.#stops;
  }

  get sources(): SkillSources {
    return this.#world.sources;
  }

  /** Whether a sandbox can be had: absent, or why not. */
  async problem(): Promise<string | undefined> {
    const probed = await this.#world.probe();
    return 'problem' in probed ? probed.problem : undefined;
  }

  /**
   * Accepts a run. Its process starts afterwards, so that whatever goes wrong then is a state of the run.
   * @throws ServiceError `skill_not_found`, `insufficient_access`, `validation_failed`, `busy`, `storage_full`,
   * `conflict` (too many runs from runs), `stopped` (by a stop meanwhile), `component_unavailable` without a sandbox.
   */
  async start(request: RunRequest, caller: RunCaller, signal: AbortSignal): Promise<RunEntry> {
    const { skill, args = {}, argsAt = 'args', timeoutS = DEFAULT_TIMEOUT_S } = request;
    const stops = request.since ?? this.#stops;
    const sandbox = await this.#sandbox();
    const source = await this.#world.sources.read(skill, signal);
    const chosen = chooseFunction(skill, source, request.function);
    assertMayRun(chosen, caller.accessLevel);
    assertPlace(chosen, sandbox.name);
    assertArguments(chosen, args, argsAt);
    if (this.#closing) throw new ServiceError('component_unavailable', { detail: 'The service is shutting down.' });
    if (stops !== this.#stops) throw stoppedMeanwhile();
    if (!source) throw new Error('chooseFunction has thrown'); // for the compiler
    const run = RunEntry.create(
      {
        id: randomUUID(),
        skill,
        function: chosen.name,
        sha256: source.sha256,
        args,
        sandbox: sandbox.name,
        accessLevel: chosen.accessLevel ?? 'USER',
        owner: caller,
        depth: depthBelow(this.find(caller.clientId)),
      },
      this.#world.clock,
    );
    const slot = request.slot ?? this.slots.take(run.id);
    const release = () => {
      if (request.slot === undefined) this.slots.release(slot);
    };
    try {
      this.#history.add(run);
    } catch (error) {
      release();
      throw error;
    }
    this.#publish(run);
    const supervised = new SupervisedRun({
      run,
      slot,
      job: { skill, source: source.bytes, function: chosen.name, args },
      sandbox,
      openDoor: this.#world.openDoor,
      timeoutMs: timeoutS * 1000,
      lease: request.lease,
      logger: this.#world.logger,
      onChange: (changed) => this.#changed(changed),
    });
    const done = supervised.supervise().finally(() => {
      this.#underWay.delete(run.id);
      release();
    });
    this.#underWay.set(run.id, { supervised, done });
    return run;
  }

  /** Newest first. */
  list(): RunEntry[] {
    return this.#history.list();
  }

  find(id: string): RunEntry | undefined {
    return this.#history.find(id);
  }

  /** @throws ServiceError `not_found`. */
  get(id: string): RunEntry {
    const run = this.find(id);
    if (run) return run;
    throw new ServiceError('not_found', {
      detail: 'There is no run with this id. GET /api/v2/runs/ lists the last 100.',
    });
  }

  underWay(): RunEntry[] {
    return [...this.#underWay.values()].map(({ supervised }) => supervised.run).filter((run) => !run.hasEnded);
  }

  /** Ends a run; one that has ended stays as it is. Does not wait. @throws ServiceError `not_found`. */
  stop(id: string): RunEntry {
    const run = this.get(id);
    this.#underWay.get(id)?.supervised.end(GRACE_MS.asked);
    return run;
  }

  /** Resolves when the process of a run is gone and its place is free. */
  async settled(id: string): Promise<void> {
    await this.#underWay.get(id)?.done;
  }

  /**
   * The robot was stopped: nothing that runs ask for is carried out any more, and then they are told to end. Neither
   * waits nor throws. @returns the ids of those that were under way.
   */
  stopAll(): string[] {
    this.#stops += 1;
    const present = [...this.#underWay.values()].map(({ supervised }) => supervised).filter(({ run }) => !run.hasEnded);
    for (const supervised of present) supervised.refuse();
    for (const supervised of present) supervised.end(GRACE_MS.stop);
    return present.map(({ run }) => run.id);
  }

  /** Ends every run and waits for their processes. */
  async close(): Promise<void> {
    this.#closing = true;
    const present = [...this.#underWay.values()];
    for (const { supervised } of present) supervised.end(GRACE_MS.asked);
    await Promise.all(present.map(({ done }) => done));
    await this.#used?.close();
  }

  async #sandbox(): Promise<Sandbox> {
    const probed = await this.#world.probe();
    if ('sandbox' in probed) {
      this.#used = probed.sandbox;
      return probed.sandbox;
    }
    throw new ServiceError('component_unavailable', {
      detail: `The component "skill sandbox" is not available. ${probed.problem}`,
    });
  }

  #changed(run: RunEntry): void {
    this.#publish(run);
    if (!run.hasEnded) return; // until then it is on disk as a run that would be lost
    this.#history.save(run);
    this.#world.auditEnd(run);
    this.#history.trimLogs();
  }

  #publish(run: RunEntry): void {
    const { id, state, skill, sandbox, startedBy } = run;
    if (state === 'lost') return; // found at the start, when nobody listens yet
    const about = { id, state, skill, function: run.function, sandbox, by: startedBy, code: run.error?.code ?? null };
    this.#world.events.publish('runs', state, about, { subject: id });
  }
}

function stoppedMeanwhile(): ServiceError {
  return new ServiceError('stopped', {
    detail: 'The robot was stopped before this run could start. Start it again if you still want it.',
    members: { command_ran: 'no' },
  });
}
