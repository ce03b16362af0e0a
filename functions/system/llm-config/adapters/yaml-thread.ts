import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import { fromFailure } from '../../../shared/thread-failure.ts';
import type { ChangedYaml, KeyChange, YamlWork } from '../port.ts';
import { entityTags } from '../representation.ts';
import type { ConfigValue } from '../yaml/config-value.ts';
import { change, toJson } from '../yaml/work.ts';
import type { ThreadJob, ThreadResult } from './thread-protocol.ts';

/** The bundler makes one file of the thread beside those of the service; from sources it has a starter. */
const ENTRY = import.meta.url.endsWith('.ts') ? './thread-from-sources.mjs' : './llm-config-thread.js';
/** Files and values up to this size take a few milliseconds, less than starting a thread. */
const SMALL = 16 * 1024;
const LIMITS = { maxOldGenerationSizeMb: 512 };

/** Gives large files and values to a thread, one after the other, so that the event loop stays free for stops. */
export class YamlThread implements YamlWork {
  readonly #turns = new Semaphore(1);
  /** The latest large version of the file, by its entity tag. */
  #latest: { readonly tag: string; readonly json: Promise<Buffer> } | undefined;

  async toJson(bytes: Buffer): Promise<Buffer> {
    if (bytes.length <= SMALL) return toJson(bytes);
    const tag = entityTags(bytes).json;
    if (this.#latest?.tag === tag) return this.#latest.json;
    const latest = { tag, json: this.#run({ bytes }).then((done) => done.bytes) };
    this.#latest = latest;
    latest.json.catch(() => {
      if (this.#latest === latest) this.#latest = undefined;
    });
    return latest.json;
  }

  async change(bytes: Buffer, wanted: KeyChange): Promise<ChangedYaml> {
    return bytes.length <= SMALL && isSmall(wanted.value)
      ? change(bytes, wanted)
      : this.#run({ bytes, change: wanted });
  }

  #run(job: ThreadJob): Promise<ChangedYaml> {
    return this.#turns.run(() => runInThread(job));
  }
}

async function runInThread(job: ThreadJob): Promise<ChangedYaml> {
  const options = { name: 'llm configuration', workerData: job, resourceLimits: LIMITS, execArgv: [], env: {} };
  const worker = new Worker(new URL(ENTRY, import.meta.url), options);
  worker.on('error', () => {}); // without a listener, one that comes after the result would end the service
  const ended = new AbortController();
  worker.once('exit', () => ended.abort(new Error('the thread of the configuration ended without a result')));
  const [result] = (await once(worker, 'message', { signal: ended.signal })) as [ThreadResult]; // as: it posts nothing else
  if ('failure' in result) throw fromFailure(result.failure);
  const { bytes, answer } = result;
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), answer };
}

/** Counts a value's characters and members, only until they are too many. */
function isSmall(root: ConfigValue): boolean {
  const values = [root];
  let size = 0;
  for (let value = values.pop(); value !== undefined && size <= SMALL; value = values.pop()) {
    size += typeof value === 'string' ? value.length : 1;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      size += key.length;
      values.push(member);
    }
  }
  return size <= SMALL;
}
