import { once } from 'node:events';
import { BUS_GONE, BusError, NO_ANSWER } from '../../../../kit/system-bus.ts';
import { within } from '../../../../kit/within.ts';
import type { Job, ProcessListener, RunProcess } from '../../../sandbox.port.ts';
import { BOOTSTRAP } from '../bootstrap.ts';
import { Conversation, type Release, type RunStreams } from '../conversation.ts';
import { ATTACH, Attachment } from './attachment.ts';
import { SkillUnit, type UnitEnd, unitOf } from './skill-unit.ts';
import type { UnitPlace } from './unit-places.ts';

/** How long output is read after the end of all processes, in ms. */
const DRAIN_MS = 250;
/** The same of the channel, which nothing slows down. */
const LAST_WORD_MS = 5_000;

/** The unit limits the run. */
const NO_LIMITS = { rlimits: {}, nice: 0, cores: 0 };

export interface UnitProcessParts {
  readonly runId: string;
  readonly job: Job;
  readonly place: UnitPlace;
  readonly listener: ProcessListener;
  /** Of the system bus. */
  readonly address: string | undefined;
}

/** A run in a unit of its own. */
export class UnitProcess implements RunProcess {
  readonly #parts: UnitProcessParts;
  readonly #unit: SkillUnit;
  #streams: RunStreams | undefined;
  #conversation: Conversation | undefined;
  #isDoomed = false;

  constructor(parts: UnitProcessParts) {
    this.#parts = parts;
    this.#unit = new SkillUnit(parts.runId, parts.address);
    void this.#live();
  }

  release(): void {
    const { job: wanted, place } = this.#parts;
    const { skill, function: name, args } = wanted;
    const path = `${place.inside}/skill/${skill}.py`;
    const vendor = { rest: `${place.inside}/rest.sock`, events: `${place.inside}/events.sock` };
    const job: Release = { path, skill, function: name, args, packages: place.packages, limits: NO_LIMITS, vendor };
    this.#conversation?.release(job);
  }

  tell(): void {
    this.#conversation?.tell();
  }

  kill(): void {
    this.#isDoomed = true;
    this.#unit.kill();
  }

  async #live(): Promise<void> {
    const { job, place, listener } = this.#parts;
    let attachment: Attachment | undefined;
    let end: UnitEnd = { code: null, signal: null, result: '', asked: false };
    try {
      await place.write('start.py', ATTACH + BOOTSTRAP);
      await place.write(`skill/${job.skill}.py`, job.source);
      attachment = await Attachment.open(place.folder);
      void attachment.connected.then((streams) => this.#converse(streams));
      if (!this.#isDoomed) end = await this.#run();
      if (!this.#streams && !this.#isDoomed && !end.asked) this.#notStarted(`${end.result} ${end.code ?? ''}`.trim());
    } catch (error) {
      listener.failed('start_failed', error instanceof Error ? error.message : String(error));
    }
    attachment?.close();
    if (end.asked) this.#unit.kill(); // with the service restarted, systemd would restart it, too
    await this.#drain();
    this.#conversation?.close();
    this.#unit.close();
    listener.ended(end);
  }

  async #run(): Promise<UnitEnd> {
    try {
      await this.#unit.start();
    } catch (error) {
      if (!(error instanceof BusError) || ![BUS_GONE, NO_ANSWER].includes(error.reason)) throw error;
      this.#parts.listener.failed('start_failed', error.message);
      this.kill(); // systemd may start it nevertheless
    }
    return this.#unit.ended();
  }

  #converse(streams: RunStreams): void {
    this.#streams = streams;
    streams.channel.once('close', () => this.#unit.look());
    this.#conversation = new Conversation({
      ...streams,
      listener: this.#parts.listener,
      killable: Promise.resolve(), // by its name, since it was started
    });
  }

  #notStarted(how: string): void {
    const { runId, listener } = this.#parts;
    listener.failed('start_failed', `systemd did not start it (${how}): see journalctl -u '${unitOf(runId)}'.`);
  }

  /** Reads what its processes, all of which have ended, have left in the sockets. */
  async #drain(): Promise<void> {
    if (!this.#streams) return;
    const { channel, stdout, stderr } = this.#streams;
    const closed = async (stream: RunStreams[keyof RunStreams]) => {
      if (!stream.destroyed) await once(stream, 'close');
    };
    const nothing = () => undefined;
    await within<unknown>(closed(channel), LAST_WORD_MS, nothing);
    await within<unknown>(Promise.all([closed(stdout), closed(stderr)]), DRAIN_MS, nothing);
  }
}
