import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

/**
 * The first process in the namespace of a sandbox, whose death ends all others there. Bubblewrap reports its id over
 * `--info-fd`; killing bubblewrap itself shortly after its start would leave it alive.
 */
export class SandboxInit {
  /** Resolves once the id is known; never, if bubblewrap ends before that. */
  readonly known: Promise<void>;
  #pid: number | undefined;
  /** Tells it from a later process with the same id. */
  #startedAt: string | undefined;
  #shallDie = false;

  constructor(info: Readable) {
    let text = '';
    info.on('error', () => undefined);
    this.known = new Promise((resolve) => {
      info.on('data', (chunk: Buffer) => {
        if (this.#pid !== undefined || text.length > 4096) return;
        text += chunk.toString('utf8');
        const pid = /"child-pid"\s*:\s*(\d+)\s*[,}]/.exec(text)?.[1];
        if (pid === undefined) return;
        this.#pid = Number(pid);
        this.#startedAt = startOf(this.#pid);
        if (this.#shallDie) this.kill();
        resolve();
      });
    });
  }

  /** Kills it, or as soon as it is known. */
  kill(): void {
    this.#shallDie = true;
    if (this.#pid === undefined || this.#startedAt === undefined) return;
    if (startOf(this.#pid) !== this.#startedAt) return;
    try {
      process.kill(this.#pid, 'SIGKILL');
    } catch {
      // ESRCH: it has just ended
    }
  }
}

/** When a process was started, in clock ticks since the machine was (proc(5), field 22). */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
