import type { ChildProcess } from 'node:child_process';

/** Groups that run, by the id of the process that leads them. */
const running = new Set<number>();

/**
 * A child and everything it starts, unless that leaves the group by itself. The child must have been spawned with
 * `detached: true`, which makes it the leader of a group of its own. A group that still runs when this process exits is
 * killed then.
 */
export class ProcessGroup {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    const { pid } = child;
    if (pid === undefined) return;
    if (running.size === 0) process.on('exit', killAll);
    running.add(pid);
    child.once('close', () => {
      running.delete(pid);
      if (running.size === 0) process.off('exit', killAll);
    });
  }

  /** Does nothing once the child has ended and nobody holds its output: the id may belong to others by then. */
  kill(): void {
    const { pid } = this.#child;
    if (pid !== undefined && running.has(pid)) killGroup(pid);
  }
}

function killAll(): void {
  for (const pid of running) killGroup(pid);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: all of it has ended already
  }
}
