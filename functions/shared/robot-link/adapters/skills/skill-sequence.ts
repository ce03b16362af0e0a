import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../errors.ts';
import { isJsonObject } from '../../../kit/json.ts';
import { Latch } from '../../../kit/latch.ts';
import type { Runs } from '../../../runs/runs.ts';
import type { RunnableFunction } from '../../../runs/skill-source.port.ts';
import type { RobotCommand, RobotLink, SendOptions } from '../../port.ts';
import { CANCELLED, type Tracked } from '../mission-book.ts';
import { plainAnswer } from './robot-skills.ts';

/** Longest time the robot may take for one of its own skills, in ms. */
const STEP_LIMIT_MS = 600_000;

/** A skill of a sequence: of the robot itself, or uploaded. */
export type SequenceStep = { readonly name: string; readonly uploaded?: RunnableFunction };

export interface SequenceParts {
  readonly link: RobotLink;
  readonly runs: Runs;
  readonly clock: () => number;
  readonly steps: readonly SequenceStep[];
  /** The command that asked for it: motion of its steps is judged by when that arrived. */
  readonly command: RobotCommand;
  readonly since: number;
  /** Under which its runs move the robot. */
  readonly lease: string | undefined;
}

/** Skills one after another, some of them uploaded. It keeps one place for runs until its end. */
export class SkillSequence implements Tracked {
  readonly id = randomUUID();
  readonly clientId: string;
  readonly begun = new Latch();
  readonly over = new Latch();
  hasStarted = false;
  finished = false;
  failed = false;
  message = CANCELLED;
  readonly #parts: SequenceParts;
  readonly #ended = new AbortController();
  #release: () => void;
  /** What is under way: the id of a run, or of a mission of the robot. */
  #current: { readonly run?: string; readonly mission?: string } = {};

  /** @throws ServiceError `busy` without a place. */
  constructor(parts: SequenceParts) {
    this.#parts = parts;
    this.clientId = parts.command.sender.clientId;
    const slot = parts.runs.slots.take(this.id);
    this.#release = () => parts.runs.slots.release(slot);
    void this.#play(slot);
  }

  /** No further skill begins; the present one is cancelled. */
  cancel(): void {
    if (this.over.isOpen || this.#ended.signal.aborted) return;
    this.#ended.abort();
    const { run, mission } = this.#current;
    if (run !== undefined) this.#parts.runs.stop(run);
    if (mission !== undefined) this.#cancelMission(mission);
  }

  /** The robot was stopped, and all runs with it: no further skill begins. */
  stopped(): void {
    this.#ended.abort();
  }

  async #play(slot: number): Promise<void> {
    try {
      for (const { name, uploaded } of this.#parts.steps) {
        if (this.#ended.signal.aborted) return;
        if (uploaded) await this.#run(uploaded, slot);
        else await this.#send(name);
      }
      this.finished = !this.#ended.signal.aborted;
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      this.failed = true;
      this.message = error instanceof ServiceError ? error.message : 'Mission failed';
    } finally {
      this.#release();
      this.begun.open();
      this.over.open();
    }
  }

  async #run({ skill, name }: RunnableFunction, slot: number): Promise<void> {
    const { runs, command, since, lease } = this.#parts;
    const { sender } = command;
    const run = await runs.start({ skill, function: name, slot, since, lease }, sender, this.#ended.signal);
    this.#current = { run: run.id };
    if (this.#ended.signal.aborted) runs.stop(run.id);
    run.begun.whenOpen(() => this.#start());
    await runs.settled(run.id);
    this.#current = {};
    if (run.state === 'succeeded') return;
    throw new ServiceError('robot_error', { detail: `The skill "${name}" ended as ${run.state}: run ${run.id}.` });
  }

  async #send(name: string): Promise<void> {
    const { link, command } = this.#parts;
    const called = plainAnswer(await link.send({ ...command, command: 'skill', value: { name } }, this.#timeout()));
    const id = isJsonObject(called) && called.called === true ? called.msg : undefined;
    if (typeof id !== 'string') throw refused(name);
    this.#current = { mission: id };
    if (this.#ended.signal.aborted) return this.#cancelMission(id);
    this.#start();
    const { arrivedAt: _arrivedAt, ...query } = command;
    const over = await link.send({ ...query, command: 'wait_for_skill', value: id }, this.#timeout());
    this.#current = {};
    const awaited = plainAnswer(over);
    if (!isJsonObject(awaited) || awaited.awaited !== true) throw refused(name);
  }

  #start(): void {
    this.hasStarted = true;
    this.begun.open();
  }

  #cancelMission(id: string): void {
    const { link, command } = this.#parts;
    const { arrivedAt: _arrivedAt, ...cancel } = command;
    const sent = async () => link.send({ ...cancel, command: 'cancel_skill', value: id }, this.#timeout());
    sent().catch(() => undefined); // whoever cancels waits for the end of the sequence, which tells
  }

  #timeout(): SendOptions {
    const now = this.#parts.clock();
    return { deadline: now + STEP_LIMIT_MS, beginBy: now + 10_000, signal: AbortSignal.timeout(STEP_LIMIT_MS) };
  }
}

function refused(name: string): ServiceError {
  return new ServiceError('robot_error', { detail: `The robot did not finish its skill "${name}".` });
}
