import { Worker } from 'node:worker_threads';
import { fromFailure } from './failure.ts';
import type { ThreadData, Told } from './thread-protocol.ts';

type Jobs = Record<string, (...args: never[]) => unknown>;
type Pending = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** The bundler makes one file of the thread beside those of the service; from sources it has a starter. */
const ENTRY = import.meta.url.endsWith('.ts') ? './thread-from-sources.mjs' : './database-thread.js';
/** A file can hold rows of any size: what they need is taken from the thread, not from the service. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 };
const CLOSING_MS = 3_000;

/** A database thread as seen from the main one. It starts with the first call, and anew after it died. */
export class ThreadClient<J extends Jobs> {
  readonly #data: ThreadData;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #opened: Promise<unknown> | undefined;
  #next = 1;

  constructor(data: ThreadData) {
    this.#data = data;
  }

  /** Starts the thread and waits until its connections are open. */
  open(): Promise<unknown> {
    if (!this.#opened) {
      const worker = new Worker(new URL(ENTRY, import.meta.url), {
        name: `database ${this.#data.role}`,
        workerData: this.#data,
        resourceLimits: LIMITS,
        execArgv: [],
        env: {},
      });
      worker.unref(); // what is under way is somebody's request; a thread alone keeps nobody up
      worker.on('message', (told: Told) => this.#heard(told));
      worker.on('error', (error) => this.#died(worker, error));
      worker.on('exit', () => this.#died(worker, new Error(`the database ${this.#data.role} thread ended`)));
      this.#worker = worker;
      this.#opened = this.#awaitAnswer(0).catch((error: unknown) => {
        this.#forget(worker);
        void worker.terminate();
        throw error;
      });
    }
    return this.#opened;
  }

  async call<K extends keyof J & string>(job: K, ...args: Parameters<J[K]>): Promise<Awaited<ReturnType<J[K]>>> {
    await this.open();
    const id = this.#next++;
    const answer = this.#awaitAnswer(id);
    this.#worker?.postMessage({ id, job, args });
    return (await answer) as Awaited<ReturnType<J[K]>>; // as: the thread runs the job of this name
  }

  /** Lets the thread finish what is short, give up what is long, and end. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ id: 0, job: 'close', args: [] });
    const timer = setTimeout(() => void worker.terminate(), CLOSING_MS);
    await ended;
    clearTimeout(timer);
  }

  #awaitAnswer(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker?.ref();
    });
  }

  #heard(told: Told): void {
    const pending = this.#pending.get(told.id);
    this.#pending.delete(told.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if ('failure' in told) pending?.reject(fromFailure(told.failure));
    else pending?.resolve(told.value);
  }

  #died(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#forget(worker);
    const left = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of left) reject(error);
  }

  #forget(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#opened = undefined;
  }
}
