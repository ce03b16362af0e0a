import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';
import { RosbridgeStandIn } from './rosbridge-server.ts';

interface BaseOptions {
  /** It stops by itself 0.3 s after the last velocity. */
  readonly hasWatchdog?: boolean;
  readonly hasOdometry?: boolean;
  /** The topics that other nodes publish and subscribe to, with their types; absent: the server offers no rosapi. */
  readonly topics?: Readonly<Record<string, string>>;
}

const STEP_MS = 20;
const WATCHDOG_MS = 300;
const SERVICES: readonly string[] = ['/sound'];

/** A base behind a rosbridge server: it drives as /cmd_vel says, and reports /odom and its wheels on /joint_states. */
export class RosbridgeBase {
  readonly standIn: RosbridgeStandIn;
  readonly #options: BaseOptions;
  readonly #stepping: NodeJS.Timeout;
  #looked = 0;
  #speed = 0;
  #x = 0;
  #steeredAt = 0;
  /** How often it was told to move. */
  steered = 0;

  private constructor(standIn: RosbridgeStandIn, options: BaseOptions) {
    this.standIn = standIn;
    this.#options = options;
    this.#stepping = setInterval(() => this.#step(), STEP_MS);
    if (options.topics) this.#offerRosapi(options.topics);
  }

  static async start(options: BaseOptions = {}): Promise<RosbridgeBase> {
    return new RosbridgeBase(await RosbridgeStandIn.start(), options);
  }

  async close(): Promise<void> {
    clearInterval(this.#stepping);
    await this.standIn.close();
  }

  #step(): void {
    const { received } = this.standIn;
    for (const { op, topic, msg } of received.slice(this.#looked))
      if (op === 'publish' && topic === '/cmd_vel') this.#steer(msg);
    this.#looked = received.length;
    if (this.#options.hasWatchdog && Date.now() - this.#steeredAt > WATCHDOG_MS) this.#speed = 0;
    this.#x += (this.#speed * STEP_MS) / 1000;
    const still = { x: 0, y: 0, z: 0 };
    const pose = { position: { ...still, x: this.#x }, orientation: { ...still, w: 1 } };
    const twist = { linear: { ...still, x: this.#speed }, angular: still };
    if (this.#options.hasOdometry !== false) this.standIn.publish('/odom', { pose: { pose }, twist: { twist } });
    this.standIn.publish('/joint_states', { name: ['wheel'], position: [this.#x / 0.05] });
  }

  #steer(msg: JsonValue | undefined): void {
    const { linear } = msg as { linear: { x: number } }; // as: a Twist
    this.#speed = linear.x;
    this.#steeredAt = Date.now();
    if (linear.x !== 0) this.steered += 1;
  }

  #offerRosapi(topics: Readonly<Record<string, string>>): void {
    const { services } = this.standIn;
    const topicOf = (args: JsonValue) => String((args as JsonObject).topic); // as: rosapi takes objects
    const nodesOf = (args: JsonValue) => (topicOf(args) in topics ? ['/base'] : []);
    services.set('/rosapi/services', () => ({ services: [...SERVICES] }));
    services.set('/rosapi/publishers', (args) => ({ publishers: nodesOf(args) }));
    services.set('/rosapi/subscribers', (args) => ({ subscribers: nodesOf(args) }));
    services.set('/rosapi/topic_type', (args) => ({ type: topics[topicOf(args)] ?? '' }));
  }
}
