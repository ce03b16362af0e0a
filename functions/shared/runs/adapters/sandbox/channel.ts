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

/** Reads the messages of a bootstrap. What is not one is ignored; too long a line ends the reading. */
export function readMessages(channel: Duplex, onMessage: (message: Message) => void): void {
  let pending = Buffer.alloc(0);
  let ended = false;
  channel.on('error', () => undefined);
  channel.on('data', (chunk: Buffer) => {
    if (ended) return;
    pending = Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(10); end >= 0 && !ended; end = pending.indexOf(10)) {
      const message = parse(pending.subarray(0, end));
      pending = pending.subarray(end + 1);
      if (!message) continue;
      onMessage(message);
      ended = message.type !== 'ready';
    }
    if (pending.length <= MAX_LINE_BYTES || ended) return;
    ended = true;
    onMessage(TOO_LARGE);
  });
}

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
