import { Worker } from 'node:worker_threads';
import { Calls } from '../../../shared/kit/calls.ts';
import { fromFailure } from '../../../shared/thread-failure.ts';
import type { ThreadData, ThreadReply, ThreadRequest } from './thread-protocol.ts';

type Jobs = Record<string, (...args: never[]) => unknown>;

/** The bundler makes one file of the thread beside those of the service; from sources it has a starter. */
const ENTRY = import.meta.url.endsWith('.ts') ? './thread-from-sources.mjs' : './database-thread.js';
/** A file can hold rows of any size: what they need is taken from the thread, not from the service. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };
const CLOSING_MS = 3_000;

/** A database thread as seen from the main one. It is started by the first call, and again after it has ended. */
export class ThreadClient<J extends Jobs> {
  readonly #data: ThreadData;
  readonly #calls = new Calls<unknown>();
  #worker: Worker | undefined;
  #opened: Promise<unknown> | undefined;

  constructor(data: ThreadData) {
    this.#data = data;
  }

  /** Starts the thread and waits until its connections are open. */
  open(): Promise<unknown> {
    if (!this.#opened) {
      const worker = this.#start();
      this.#opened = this.#ask(worker, 'open').catch((error: unknown) => {
        this.#forget(worker);
        void worker.terminate();
        throw error;
      });
    }
    return this.#opened;
  }

  async call<K extends keyof J & string>(job: K, ...args: Parameters<J[K]>): Promise<Awaited<ReturnType<J[K]>>> {
    await this.open();
    if (!this.#worker) throw this.#ended();
    return (await this.#ask(this.#worker, job, args)) as Awaited<ReturnType<J[K]>>; // as: the thread runs the job of this name
  }

  /** Ends the thread: short jobs are finished, long ones aborted. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ id: '', job: 'close', args: [] } satisfies ThreadRequest);
    const timer = setTimeout(() => void worker.terminate(), CLOSING_MS);
    await ended;
    clearTimeout(timer);
  }

  #start(): Worker {
    const worker = new Worker(new URL(ENTRY, import.meta.url), {
      name: `database ${this.#data.role}`,
      workerData: this.#data,
      resourceLimits: LIMITS,
      execArgv: [],
      env: {},
    });
    worker.on('message', (reply: ThreadReply) => this.#onReply(reply));
    worker.on('error', (error) => this.#onExit(worker, error));
    worker.on('exit', () => this.#onExit(worker, this.#ended()));
    this.#worker = worker;
    return worker;
  }

  /** Only what is asked keeps the process alive, not the thread itself. */
  #ask(worker: Worker, job: string, args: readonly unknown[] = []): Promise<unknown> {
    return this.#calls.ask((id) => {
      worker.ref();
      worker.postMessage({ id, job, args } satisfies ThreadRequest);
    });
  }

  #onReply(reply: ThreadReply): void {
    if ('failure' in reply) this.#calls.fail(reply.id, fromFailure(reply.failure));
    else this.#calls.settle(reply.id, reply.value);
    if (this.#calls.size === 0) this.#worker?.unref();
  }

  #onExit(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#forget(worker);
    this.#calls.failAll(error);
  }

  #forget(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#opened = undefined;
  }

  #ended(): Error {
    return new Error(`the database ${this.#data.role} thread ended`);
  }
}
