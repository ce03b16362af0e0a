import type { Socket } from 'node:net';
import { connectAsync, type MqttClient } from 'mqtt';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '../../functions/shared/kit/json.ts';

/** The far end of the link to the robot. */
export interface FarEnd {
  /** Called with the time, by the clock of `performance.now()`, at which a message that stops the robot came in. */
  onStop: (at: number) => void;
  close(): void | Promise<void>;
}

/** The mapping of the robot behind {@link Bridge}. */
export const MAPPING = {
  ros: 2,
  stop: {
    publish: [{ name: '/cmd_vel', type: 'geometry_msgs/msg/Twist', message: { linear: { x: 0 } } }],
    service: [{ name: '/halt', success: '$answer.ok' }],
  },
  commands: {
    skill: { title: 'Run a skill', kind: 'dict', service: { name: '/skill' } },
    wait_for_person: {
      title: 'Wait for a person',
      kind: 'none',
      effect: 'query',
      waits: true,
      service: { name: '/wait' },
    },
  },
} as const;

/** A rosbridge server that confirms every stop immediately, and never answers `/wait`. */
export class Bridge implements FarEnd {
  onStop: (at: number) => void = () => undefined;
  readonly url: string;
  readonly #server: WebSocketServer;
  readonly #sockets = new Set<Socket>();

  private constructor(server: WebSocketServer) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${(server.address() as { port: number }).port}`; // as: it listens on TCP
    server.on('connection', (client, { socket }) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      client.on('message', (data) => this.#take(client, String(data)));
      client.on('error', () => undefined);
    });
  }

  static async start(): Promise<Bridge> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => server.once('listening', resolve));
    return new Bridge(server);
  }

  /** Sends these frames over every connection repeatedly, as fast as they are read. */
  flood(frames: Buffer): void {
    for (const socket of this.#sockets) {
      const send = () => {
        if (!socket.destroyed) socket.write(frames, () => setImmediate(send)); // yields to the event loop for answers
      };
      send();
    }
  }

  close(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  #take(client: WebSocket, text: string): void {
    if (text.includes('"topic":"/cmd_vel"')) this.onStop(performance.now());
    const { op, id, service } = JSON.parse(text) as JsonObject; // as: the link sends objects
    if (op !== 'call_service' || service === '/wait') return;
    const known = service === '/halt' || service === '/skill';
    const values = known ? { ok: true } : `Service ${service} does not exist`;
    client.send(JSON.stringify({ op: 'service_response', id, service, values, result: known }));
  }
}

/** A WebSocket text frame as sent by a server (RFC 6455, section 5.2). */
export function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  if (head.length === 2) head[1] = payload.length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** A robot behind an MQTT broker that confirms every stop immediately. */
export class MqttRobot implements FarEnd {
  onStop: (at: number) => void = () => undefined;
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (_topic, payload, { properties }) => {
      this.onStop(performance.now());
      const { id } = JSON.parse(payload.toString()) as { id: string }; // as: the service sends it
      const answer = JSON.stringify({ v: 1, id, ok: true, result: { stopped: true } });
      const correlationData = properties?.correlationData;
      client.publish(properties?.responseTopic ?? '', answer, {
        properties: correlationData ? { correlationData } : {},
      });
    });
  }

  static async start(brokerUrl: string, robotId: string): Promise<MqttRobot> {
    const client = await connectAsync(brokerUrl, { protocolVersion: 5 });
    const robot = new MqttRobot(client);
    await client.subscribeAsync(`robots/${robotId}/stop`);
    const presence = { v: 1, online: true, session: 'bench', catalogue: [], link_loss_ms: 500 };
    await client.publishAsync(`robots/${robotId}/presence`, JSON.stringify(presence), { retain: true });
    return robot;
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
