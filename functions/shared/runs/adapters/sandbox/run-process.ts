import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { ProcessGroup } from '../../../kit/child-process/process-group.ts';
import type { ProcessListener, RunProcess } from '../../sandbox.port.ts';
import { Conversation, type Release } from './conversation.ts';

/** How long output is read after the end of the process, in ms: something it started may hold it open. */
const DRAIN_MS = 250;

export interface SpawnedRun {
  /** Leads a group of its own; descriptor 3 is the channel to the bootstrap. */
  readonly child: ChildProcess;
  readonly release: Release;
  readonly listener: ProcessListener;
  /** Resolves once the process can be killed for certain; the skill is not released before. */
  readonly killable: Promise<unknown>;
  /** Kills what the group does not reach. */
  readonly killRest: () => void;
}

/** A started bootstrap as a {@link RunProcess}. */
export function runProcess({ child, release, listener, killable, killRest }: SpawnedRun): RunProcess {
  const group = new ProcessGroup(child);
  // as: pipes by how it was spawned
  const [, stdout, stderr, channel] = child.stdio as unknown as [unknown, Readable, Readable, Duplex];
  const conversation = new Conversation({ channel, stdout, stderr, listener, killable });
  const kill = () => {
    killRest();
    group.kill();
  };
  let isOver = false;
  const end = (code: number | null, signal: string | null) => {
    if (isOver) return;
    isOver = true;
    kill();
    conversation.close();
    for (const stream of child.stdio) stream?.destroy();
    listener.ended({ code, signal });
  };
  child.once('error', (error) => {
    if (!isOver) listener.failed('start_failed', error.message);
    end(null, null);
  });
  child.once('exit', (code, signal) => {
    kill(); // what it has left behind
    const timer = setTimeout(() => end(code, signal), DRAIN_MS);
    child.once('close', () => {
      clearTimeout(timer);
      end(code, signal);
    });
  });
  return { release: () => conversation.release(release), tell: () => conversation.tell(), kill };
}
