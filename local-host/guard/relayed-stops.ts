import type { Config } from '../../functions/shared/config.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import { Broker } from '../../functions/shared/robot-link/adapters/broker/broker.ts';
import { brokerAddress } from '../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import type { Message } from '../../functions/shared/robot-link/adapters/broker/message.ts';
import { read, StopMessage } from '../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { topicsOf } from '../../functions/shared/robot-link/adapters/mqtt/topics.ts';
import type { Stopper } from './stopper.ts';

const SETTING = 'SERVICE_RELAY_URL';

/**
 * Takes stops that come through the broker of SERVICE_RELAY_URL, as the service does, under a client id of its own. It
 * answers only what the robot has confirmed: the first answer counts, and that of the service may be better.
 */
export function takeRelayedStops(config: Config, logger: Logger, stopper: Stopper): void {
  const { SERVICE_RELAY_URL: url = '', SERVICE_ROBOT_ID: robotId } = config;
  const topics = topicsOf(robotId);
  const broker = new Broker({
    address: brokerAddress(url, SETTING),
    clientId: `robot-${robotId}-guard`,
    setting: SETTING,
    logger,
    topics: () => ({ [topics.stop]: 0 }),
    onMessage: (message) => void handle(message),
  });

  /** Stops even if the message is malformed. */
  async function handle({ payload, responseTopic, correlation }: Message): Promise<void> {
    const request = read(StopMessage, payload);
    const { sender } = request ?? {};
    try {
      const from = sender && { clientId: sender.client_id, accessLevel: sender.access_level, keyId: sender.key_id };
      const result = await stopper.stop({ sender: from, address: '', listener: 'relay', request_id: null }).report;
      if (!correlation || !responseTopic?.startsWith(topics.answersTo(''))) return;
      const answer = { v: 1, id: correlation.toString('utf8'), ok: true, result };
      broker.publish(responseTopic, JSON.stringify(answer), { correlation });
    } catch (error) {
      logger.warn({ err: error }, 'the robot did not confirm a stop that came through the broker, or it was not told');
    }
  }
}
