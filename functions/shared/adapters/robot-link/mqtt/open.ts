import { randomBytes } from 'node:crypto';
import { type Config, ConfigError } from '../../../config.ts';
import { Fence } from '../../../control/fence.ts';
import type { Logger } from '../../../logger.ts';
import { Broker } from '../../mqtt/broker.ts';
import { type BrokerAddress, brokerAddress } from '../../mqtt/broker-address.ts';
import type { Message } from '../../mqtt/message.ts';
import type { RobotLink, Robots } from '../port.ts';
import { RemoteRobot } from './remote-robot.ts';
import { allAnswersTo, readTopic, topicsOf } from './topics.ts';

/** How long a first request waits for the broker, and then for what it knows of the robot, in ms. */
const BROKER_WAIT_MS = 2_000;
const PRESENCE_WAIT_MS = 500;
const SETTING = 'SERVICE_ROBOT_URL';

interface Surroundings {
  readonly logger: Logger;
  readonly clock: () => number;
  /** Counts for a robot that owns no number; absent: one that is not kept. */
  readonly fence?: Fence;
}

type FleetSurroundings = Omit<Surroundings, 'fence'> & { readonly newFence: () => Fence };

/**
 * The one robot that SERVICE_ROBOT_URL names behind its broker.
 * @throws ConfigError when the URL cannot be used, or names another robot than SERVICE_ROBOT_ID.
 */
export async function openMqttLink(
  config: Config,
  { logger, clock, fence = new Fence() }: Surroundings,
): Promise<RobotLink> {
  const address = brokerAddress(config.SERVICE_ROBOT_URL ?? '', SETTING);
  const { robotId = config.SERVICE_ROBOT_ID } = address;
  if (robotId !== config.SERVICE_ROBOT_ID) {
    throw new ConfigError(`${SETTING} names another robot than SERVICE_ROBOT_ID. Leave SERVICE_ROBOT_ID out.`);
  }
  const robots = openMqttRobots(address, { logger, clock, newFence: () => fence });
  const robot = await robots.robot(robotId);
  return Object.assign(robot, { thaw: () => robots.thaw(), close: () => robots.close() });
}

/** The robots behind the broker that SERVICE_ROBOT_URL names. @throws ConfigError when it cannot be used. */
export function openMqttFleet(config: Config, logger: Logger, clock: () => number): Robots {
  const address = brokerAddress(config.SERVICE_ROBOT_URL ?? '', SETTING);
  return openMqttRobots(address, { logger, clock, newFence: () => new Fence() });
}

/** The robots behind one MQTT broker, over one connection. */
function openMqttRobots(address: BrokerAddress, { logger, clock, newFence }: FleetSurroundings): Robots {
  const instance = randomBytes(12).toString('base64url');
  const robots = new Map<string, RemoteRobot>();
  const broker = new Broker({
    address,
    clientId: `service-${instance}`,
    setting: SETTING,
    logger,
    topics: () => ({
      [allAnswersTo(instance)]: 0,
      ...Object.fromEntries([...robots.keys()].map((robotId) => [topicsOf(robotId).presence, 1] as const)),
    }),
    onMessage: hear,
    onDown: () => {
      for (const robot of robots.values()) robot.forget();
    },
  });

  function hear(message: Message): void {
    const topic = readTopic(message.topic);
    const robot = topic && robots.get(topic.robotId);
    if (topic?.branch === 'presence') robot?.hearPresence(message);
    else if (topic?.branch === 'answers') robot?.hearAnswer(message);
  }

  return {
    async robot(robotId) {
      await broker.settled(BROKER_WAIT_MS);
      let robot = robots.get(robotId);
      if (!robot) {
        const { presence, answersTo } = topicsOf(robotId);
        robot = new RemoteRobot({
          robotId,
          broker: () => broker,
          answers: answersTo(instance),
          clock,
          logger,
          fence: newFence(),
          onClose: () => {
            robots.delete(robotId);
            broker.unsubscribe(presence);
          },
        });
        robots.set(robotId, robot);
        await broker.subscribe(presence, 1).catch((error: unknown) => {
          logger.error({ err: error }, 'the presence of a robot cannot be subscribed');
        });
      }
      if (broker.up) await robot.whenSeen(PRESENCE_WAIT_MS);
      return robot;
    },
    connected: () => broker.up,
    async thaw() {
      if (broker.up && !broker.frozen) return;
      broker.renew();
      await broker.settled(BROKER_WAIT_MS);
      if (broker.up) await Promise.all([...robots.values()].map((robot) => robot.whenSeen(PRESENCE_WAIT_MS)));
    },
    close: () => broker.close(),
  };
}
