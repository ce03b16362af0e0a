import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const PACKET = { connect: 0x10, subscribe: 0x82, unsubscribe: 0xa2 } as const;

export interface FakeBroker {
  readonly url: string;
  /** The CONNECT packets that came, each of a connection of its own. */
  readonly connects: Buffer[];
  /** The SUBSCRIBE packets that came. */
  readonly subscribes: Buffer[];
  /** MQTT 5 reason code of every subscription from now on. */
  granting(reason: number): void;
  /** Sends bytes over the present connection. */
  send(bytes: Buffer): void;
  /** Reads nothing more of the present connection. */
  stall(): void;
  /** Ends the present connection with a DISCONNECT packet of this reason, or without a word. */
  end(reason?: number): void;
  close(): Promise<void>;
}

/** As little of an MQTT 5 broker as lets a client sign in and subscribe to a few topics, and says what real ones seldom say. */
export async function startFakeBroker(): Promise<FakeBroker> {
  const connects: Buffer[] = [];
  const subscribes: Buffer[] = [];
  let granted = 0;
  let present: Socket | undefined;
  const server = createServer((socket) => {
    present = socket;
    socket.on('error', () => undefined);
    socket.on('data', (packet) => {
      if (packet[0] === PACKET.connect) {
        connects.push(packet);
        socket.write(Buffer.from([0x20, 3, 0, 0, 0])); // CONNACK: success, no properties
      }
      // SUBACK with the id of the packet, which stands behind its length of one byte
      if (packet[0] === PACKET.subscribe) {
        subscribes.push(packet);
        const reasons = Array<number>(topicsIn(packet)).fill(granted);
        socket.write(Buffer.from([0x90, 3 + reasons.length, packet[2] ?? 0, packet[3] ?? 0, 0, ...reasons]));
      }
      if (packet[0] === PACKET.unsubscribe) socket.write(Buffer.from([0xb0, 4, packet[2] ?? 0, packet[3] ?? 0, 0, 0]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`, // as: a TCP server has no other kind of address
    connects,
    subscribes,
    granting: (reason) => {
      granted = reason;
    },
    stall: () => void present?.pause(),
    send: (bytes) => void present?.write(bytes),
    end(reason) {
      if (reason === undefined) present?.destroy();
      else present?.end(Buffer.from([0xe0, 1, reason]));
    },
    async close() {
      present?.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** How many topics a short SUBSCRIBE packet without properties names. */
function topicsIn(packet: Buffer): number {
  let count = 0;
  for (let at = 5; at < packet.length; at += 3 + packet.readUInt16BE(at)) count += 1;
  return count;
}
