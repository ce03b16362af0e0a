import { connectAsync, type MqttClient } from 'mqtt';
import type { TestBroker } from './mosquitto.ts';

const TOPIC = 'robots/robot-1';
const GO = { name: 'go_to_relative', kind: 'coordinates', title: 'Go', effect: 'action', motion: true };
const LANGUAGE = { name: 'get_language', kind: 'none', title: 'Language', effect: 'query' };
/** The presence of {@link ReportingProgram}. */
export const ONLINE = { v: 1, online: true, session: 's', catalogue: [LANGUAGE, GO], features: ['estop'] };
/** A report counts for 2 s. */
const SAY_AGAIN_MS = 200;

/** A robot maker's program as `robot-1`: it answers every command, and reports what the test says. */
export class ReportingProgram {
  readonly #client: MqttClient;
  readonly #repeating = new Set<NodeJS.Timeout>();

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (_topic, payload, { properties }) => {
      const text = JSON.stringify({ v: 1, id: JSON.parse(payload.toString()).id, ok: true, result: { stopped: true } });
      const correlationData = properties?.correlationData as Buffer; // as: every question has one
      client.publish(properties?.responseTopic ?? '', text, { properties: { correlationData } });
    });
  }

  static async join(broker: TestBroker): Promise<ReportingProgram> {
    const client = await connectAsync(broker.url('robot-1'), { protocolVersion: 5 });
    const program = new ReportingProgram(client);
    await client.subscribeAsync([`${TOPIC}/commands`, `${TOPIC}/stop`]);
    await program.say('presence', ONLINE, true);
    return program;
  }

  readonly say = async (branch: string, said: object, retain = false): Promise<void> => {
    await this.#client.publishAsync(`${TOPIC}/${branch}`, JSON.stringify({ v: 1, ...said }), { retain });
  };

  /** Reports it again and again, as a robot does, until the returned function is called. */
  readonly keepSaying = (branch: 'state' | 'joints', said: object): (() => void) => {
    const timer = setInterval(() => void this.say(branch, said).catch(() => undefined), SAY_AGAIN_MS);
    this.#repeating.add(timer);
    return () => clearInterval(timer);
  };

  /** Leaves, and leaves nothing with the broker. */
  async leave(): Promise<void> {
    for (const timer of this.#repeating) clearInterval(timer);
    for (const branch of ['presence', 'state']) {
      await this.#client.publishAsync(`${TOPIC}/${branch}`, '', { retain: true });
    }
    await this.#client.endAsync();
  }
}
