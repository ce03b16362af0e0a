import { randomBytes } from 'node:crypto';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import { Broker } from '../../../functions/shared/robot-link/adapters/broker/broker.ts';
import type { BrokerAddress } from '../../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import { topicsOf } from '../../../functions/shared/robot-link/adapters/mqtt/topics.ts';

/** Another program with the id of the robot, that publishes presence as a robot does. */
export class SecondProgram {
  readonly #address: BrokerAddress;
  readonly #robotId: string;
  #broker: Broker | undefined;
  #session = '';
  #isUp = false;

  /** @param address with the name and password of the robot itself. */
  constructor(address: BrokerAddress, robotId: string) {
    this.#address = address;
    this.#robotId = robotId;
  }

  /** Whether its connection is up: the robot has not taken the id back. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The session that it last announced. */
  get session(): string {
    return this.#session;
  }

  /** Connects, which disconnects the robot, and says that it is online. False where the broker refuses it. */
  async takeOver(): Promise<boolean> {
    await this.#broker?.close();
    this.#session = `second-${randomBytes(9).toString('base64url')}`;
    const { presence } = topicsOf(this.#robotId);
    const message = (online: boolean) => JSON.stringify({ v: 1, online, session: this.#session, catalogue: [] });
    const broker = new Broker({
      address: this.#address,
      clientId: `robot-${this.#robotId}`,
      setting: 'The password of the robot',
      logger: createLogger('silent'),
      will: () => ({ topic: presence, payload: message(false) }),
      topics: () => ({ [presence]: 1 }),
      onMessage: () => undefined,
      onUp: () => {
        this.#isUp = true;
        broker.publish(presence, message(true), { retain: true, expirySeconds: 45 });
      },
      onDown: () => {
        this.#isUp = false;
        void broker.close(); // it comes back when it is told to
      },
    });
    this.#broker = broker;
    await broker.settled(10_000);
    return broker.up;
  }

  /** Says that the robot is offline, and leaves. */
  async leave(): Promise<void> {
    const { presence } = topicsOf(this.#robotId);
    const offline = JSON.stringify({ v: 1, online: false, session: this.#session, reason: 'A check has ended.' });
    if (this.#isUp) this.#broker?.publish(presence, offline, { retain: true });
    await this.#broker?.close();
  }
}
