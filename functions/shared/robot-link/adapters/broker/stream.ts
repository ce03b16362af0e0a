import { connect as connectTcp, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { writeToStream } from 'mqtt-packet';
import type { BrokerAddress } from './broker-address.ts';

// Otherwise it makes a buffer for each number up to 65,535 with its first packet: 6 MB, a tenth of the guard.
writeToStream.cacheNumbers = false;

/**
 * A connection to a broker that sends each packet at once; with TLS its certificate is checked against the system's
 * authorities.
 */
export function openStream({ tls, host, port }: BrokerAddress) {
  if (!tls) return connectTcp({ host, port, noDelay: true });
  const socket = connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) });
  socket.setNoDelay(true);
  return socket;
}

/** The length of an MQTT packet takes at most four bytes, seven bits of it in each (MQTT 5, section 1.5.5). */
const MAX_LENGTH_BYTES = 4;

/**
 * Destroys the stream of a broker that begins a packet larger than `mostBytes`. What it was told to keep to
 * (maximumPacketSize) it may ignore, and the parser would gather all of it in memory first.
 * `onRefusal` is called then.
 */
export function guardPackets<S extends Duplex>(stream: S, mostBytes: number, onRefusal = () => {}): S {
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
        onRefusal();
        stream.destroy(new Error(`the broker sends a packet of more than ${mostBytes} bytes`));
        return;
      }
      if ((byte & 0x80) === 0 || digits === MAX_LENGTH_BYTES) {
        left = length;
        digits = -1;
      }
    }
  });
  return stream;
}
