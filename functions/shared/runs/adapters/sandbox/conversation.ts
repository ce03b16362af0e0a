import type { Duplex, Readable } from 'node:stream';
import type { JsonObject } from '../../../kit/json.ts';
import type { ProcessListener } from '../../sandbox.port.ts';
import { readMessages } from './channel.ts';
import { readPaced } from './paced-output.ts';

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
  /** The sockets of the run, as the process sees them, for the vendor's client; null without a /tmp of its own. */
  readonly vendor: { readonly rest: string; readonly events: string } | null;
}

/** How the service and a bootstrap are connected. */
export interface RunStreams {
  readonly channel: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

interface ConversationParts extends RunStreams {
  readonly listener: ProcessListener;
  /** Resolves once the process can be killed for certain; the skill is not released before. */
  readonly killable: Promise<unknown>;
}

/** What the service and a bootstrap say to each other, until the end of the process. */
export class Conversation {
  readonly #parts: ConversationParts;
  #isOver = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    const { channel, listener, killable } = parts;
    readMessages(channel, (message) =>
      this.#report(() => {
        if (message.type === 'ready') void killable.then(() => this.#report(listener.ready));
        else if (message.type === 'returned') listener.returned(message.result);
        else listener.failed(message.code, message.message);
      }),
    );
    for (const stream of ['stdout', 'stderr'] as const) {
      readPaced(parts[stream], (chunk) => this.#report(() => listener.output(stream, chunk)));
    }
  }

  release(job: Release): void {
    this.#write(job);
  }

  /** Asks it to end. */
  tell(): void {
    this.#write({ type: 'end' });
  }

  /** Nothing more is said, read or reported. May be repeated. */
  close(): void {
    this.#isOver = true;
    const { channel, stdout, stderr } = this.#parts;
    for (const stream of [channel, stdout, stderr]) stream.destroy();
  }

  #write(message: JsonObject): void {
    const { channel } = this.#parts;
    if (channel.writable) channel.write(`${JSON.stringify(message)}\n`);
  }

  #report(work: () => void): void {
    if (!this.#isOver) work();
  }
}
