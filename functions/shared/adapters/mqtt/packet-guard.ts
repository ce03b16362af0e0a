import type { Duplex } from 'node:stream';

/** The length of an MQTT packet takes at most four bytes, seven bits of it in each (MQTT 5, section 1.5.5). */
const MOST_LENGTH_BYTES = 4;

/**
 * Destroys the stream of a broker that begins a packet larger than `mostBytes`. What it was told to keep to
 * (maximumPacketSize) it may ignore, and the parser would gather all of it in memory first.
 */
export function guardPackets<S extends Duplex>(stream: S, mostBytes: number): S {
  let left = 0;
  let length = 0;
  let digits = -1; // bytes of the length seen so far; -1: the first byte of a packet is next
  stream.prependListener('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      if (left > 0) {
        const skipped = Math.min(left, chunk.length - at);
        left -= skipped;
        at += skipped;
        continue;
      }
      const byte = chunk[at] ?? 0;
      at += 1;
      if (digits < 0) {
        digits = 0;
        length = 0;
        continue;
      }
      length += (byte & 0x7f) * 128 ** digits;
      digits += 1;
      if (length > mostBytes) {
        stream.destroy(new Error(`the broker sends a packet of more than ${mostBytes} bytes`));
        return;
      }
      if ((byte & 0x80) === 0 || digits === MOST_LENGTH_BYTES) {
        left = length;
        digits = -1;
      }
    }
  });
  return stream;
}
