import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { ProcessGroup } from '../../../kit/child-process/process-group.ts';
import type { JsonObject } from '../../../kit/json.ts';
import type { ProcessListener, RunProcess } from '../../sandbox.port.ts';
import { readMessages } from './channel.ts';
import { readPaced } from './paced-output.ts';

/** How long output is read after the end of the process, in ms: something it started may hold it open. */
const DRAIN_MS = 250;

/** What the bootstrap is told when it is released. */
export interface Release extends JsonObject {
  /** Path of the skill's copy, as the process sees it. */
  readonly path: string;
  readonly skill: string;
  readonly function: string;
  readonly args: JsonObject;
  /** Folder of the package `robot_rest`, as the process sees it. */
  readonly packages: string;
  readonly limits: JsonObject;
}

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
  const channel = child.stdio[3] as Duplex; // as: a pipe by how it was spawned
  const kill = () => {
    killRest();
    group.kill();
  };
  let isOver = false;
  let lastWords = '';
  const report = (work: () => void) => {
    if (!isOver) work();
  };
  readMessages(channel, (message) =>
    report(() => {
      if (message.type === 'ready') void killable.then(() => report(listener.ready));
      else if (message.type === 'returned') listener.returned(message.result);
      else listener.failed(message.code, message.message);
    }),
  );
  for (const stream of ['stdout', 'stderr'] as const) {
    readPaced(child[stream] as Readable, (chunk) => {
      if (stream === 'stderr') lastWords = (lastWords + chunk.toString('utf8')).slice(-500);
      report(() => listener.output(stream, chunk));
    });
  }
  const end = (code: number | null, signal: string | null) => {
    if (isOver) return;
    isOver = true;
    kill();
    for (const stream of child.stdio) stream?.destroy();
    listener.ended({ code, signal });
  };
  child.once('error', (error) => {
    report(() => listener.failed('start_failed', error.message));
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
  const tell = (message: JsonObject) => {
    if (channel.writable) channel.write(`${JSON.stringify(message)}\n`);
  };
  return { release: () => tell(release), tell: () => tell({ type: 'end' }), kill };
}
