import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { Json } from '../../../kit/json.schema.ts';
import { FAILURES } from '../../run.schema.ts';

/** Longest line from a run: a result of 64 KiB, escaped. */
const MAX_LINE_BYTES = 512 * 1024;
/** The limit on results, in bytes of UTF-8; the bootstrap checks it too, but a skill can write to its descriptor. */
const MAX_RESULT_BYTES = 64 * 1024;

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('returned'), result: Json }),
  z.object({ type: z.literal('failed'), code: z.enum(FAILURES), message: z.string().max(8192) }),
]);
type Message = z.infer<typeof Message>;

/**
 * Reads the messages of a bootstrap: `ready` once, then how the skill ended. The first line that is neither ends the
 * reading as a failure: a skill can write to the descriptor as well, and must not keep the service busy with it.
 */
export function readMessages(channel: Duplex, onMessage: (message: Message) => void): void {
  let pending = Buffer.alloc(0);
  let isReady = false;
  const end = (message: Message) => {
    channel.destroy();
    onMessage(message);
  };
  channel.on('error', () => undefined);
  channel.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let at = pending.indexOf(10); at >= 0; at = pending.indexOf(10)) {
      const message = parse(pending.subarray(0, at));
      pending = pending.subarray(at + 1);
      if (message?.type !== 'ready' || isReady) return end(message?.type === 'ready' ? FORGED : (message ?? FORGED));
      isReady = true;
      onMessage(message);
    }
    if (pending.length > MAX_LINE_BYTES) end(TOO_LARGE);
  });
}

const FORGED = {
  type: 'failed',
  code: 'exception',
  message: 'The skill has written to descriptor 3, which belongs to the service.',
} as const satisfies Message;

const TOO_LARGE = {
  type: 'failed',
  code: 'result_too_large',
  message: 'The result is larger than 64 KiB.',
} as const satisfies Message;

function parse(line: Buffer): Message | undefined {
  try {
    const message = Message.parse(JSON.parse(line.toString('utf8')));
    if (message.type !== 'returned') return message;
    return Buffer.byteLength(JSON.stringify(message.result ?? null)) > MAX_RESULT_BYTES ? TOO_LARGE : message;
  } catch {
    return undefined;
  }
}
