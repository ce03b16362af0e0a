import { randomBytes } from 'node:crypto';
import { type Config, ConfigError } from '../../../config.ts';
import { Fence } from '../../../control/fence.ts';
import { type Events, NO_EVENTS } from '../../../events/events.port.ts';
import { NO_METRICS } from '../../../observability/metrics.port.ts';
import type { RobotLink, Robots } from '../../port.ts';
import { Broker } from '../broker/broker.ts';
import { type BrokerAddress, brokerAddress } from '../broker/broker-address.ts';
import type { Message } from '../broker/message.ts';
import type { LinkWorld } from '../link-world.ts';
import { robotUnavailable } from '../robot-errors.ts';
import { RemoteRobot } from './remote-robot.ts';
import { Survey } from './survey.ts';
import { allAnswersTo, isReportBranch, readTopic, reportTopicsOf, topicsOf } from './topics.ts';

/** How long a first request waits for the broker, and then for what it knows of the robot, in ms. */
const BROKER_WAIT_MS = 2_000;
const PRESENCE_WAIT_MS = 500;
const SETTING = 'SERVICE_ROBOT_URL';

/**
 * The one robot that SERVICE_ROBOT_URL names behind its broker.
 * @throws ConfigError when the URL cannot be used, or names another robot than SERVICE_ROBOT_ID.
 */
export async function openMqttLink(
  config: Config,
  {
    fence = new Fence(),
    events = NO_EVENTS,
    ...world
  }: LinkWorld & { readonly fence?: Fence; readonly events?: Events },
): Promise<RobotLink> {
  const address = brokerAddress(config.SERVICE_ROBOT_URL ?? '', SETTING);
  const { robotId = config.SERVICE_ROBOT_ID } = address;
  if (robotId !== config.SERVICE_ROBOT_ID) {
    throw new ConfigError(`${SETTING} names another robot than SERVICE_ROBOT_ID. Leave SERVICE_ROBOT_ID out.`);
  }
  const robots = openMqttRobots(address, { ...world, newFence: () => fence, hearsReports: !config.inCloud });
  const robot = await robots.robot(robotId, events);
  return Object.assign(robot, { thaw: () => robots.thaw(), close: () => robots.close() });
}

/** The robots behind the broker that SERVICE_ROBOT_URL names. @throws ConfigError when it cannot be used. */
export function openMqttFleet(config: Config, world: LinkWorld): Robots {
  const address = brokerAddress(config.SERVICE_ROBOT_URL ?? '', SETTING);
  return openMqttRobots(address, { ...world, newFence: () => new Fence(), hearsReports: !config.inCloud });
}

interface RobotsWorld extends LinkWorld {
  readonly newFence: () => Fence;
  /** False in the cloud: what came while a function was frozen would only delay the answers after it. */
  readonly hearsReports: boolean;
}

/** The robots behind one MQTT broker, over one connection. */
function openMqttRobots(
  address: BrokerAddress,
  { logger, clock, refusals, metrics = NO_METRICS, newFence, hearsReports, stopsOnly }: RobotsWorld,
): Robots {
  const instance = randomBytes(12).toString('base64url');
  const robots = new Map<string, RemoteRobot>();
  const broker = new Broker({
    address,
    clientId: `${stopsOnly ? 'guard' : 'service'}-${instance}`,
    setting: SETTING,
    logger,
    refusals,
    topics: () => ({
      [allAnswersTo(instance)]: 0,
      ...Object.fromEntries([...robots.keys()].map((robotId) => [topicsOf(robotId).presence, 1] as const)),
    }),
    onMessage: handle,
    onUp: () => {
      for (const [robotId, robot] of robots) if (robot.reports.listening) listen(robotId, true);
    },
    onDown: () => {
      metrics.linkLost('mqtt');
      for (const robot of robots.values()) robot.forget();
    },
  });

  const survey = new Survey(broker);

  /** Apart from the other topics: a broker whose access rules are older may refuse these. */
  function listen(robotId: string, listening: boolean): void {
    if (!hearsReports) return;
    const topics = reportTopicsOf(robotId);
    if (!listening) {
      for (const topic of topics) broker.unsubscribe(topic);
      return;
    }
    broker.subscribe(topics, { qos: 0, retained: false }).catch((error: unknown) => {
      logger.error({ err: error, robot: robotId }, 'cannot subscribe to state, joints and events of a robot');
    });
  }

  function handle(message: Message): void {
    const topic = readTopic(message.topic);
    const robot = topic && robots.get(topic.robotId);
    if (topic?.branch === 'presence') {
      survey.take(topic.robotId, message);
      robot?.handlePresence(message);
    }
    if (topic?.branch === 'answers') robot?.handleAnswer(message);
    if (topic && isReportBranch(topic.branch)) robot?.reports.take(topic.branch, message);
  }

  return {
    async robot(robotId, events = NO_EVENTS) {
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
          refusals,
          metrics,
          stopsOnly,
          fence: newFence(),
          events,
          listen: (listening) => listen(robotId, listening),
          onClose: () => {
            robots.delete(robotId);
            broker.unsubscribe(presence);
            listen(robotId, false);
          },
        });
        robots.set(robotId, robot);
        listen(robotId, true);
        await broker.subscribe(presence, { qos: 1 }).catch((error: unknown) => {
          logger.error({ err: error }, 'cannot subscribe to the presence of a robot');
        });
      }
      if (broker.up) await robot.whenSeen(PRESENCE_WAIT_MS);
      return robot;
    },
    async survey() {
      await broker.settled(BROKER_WAIT_MS);
      if (broker.problem !== undefined) throw robotUnavailable(broker.problem);
      const found = await survey.run().catch((error: unknown) => {
        logger.error({ err: error }, 'cannot read the presence of the robots');
        throw robotUnavailable(
          'The MQTT broker does not tell which robots there are. Allow this service to subscribe to robots/+/presence, then try again.',
        );
      });
      return found.map((summary) => ({ ...summary, since: robots.get(summary.id)?.since }));
    },
    connected: () => broker.up,
    async thaw() {
      if (broker.up && !broker.frozen) return;
      broker.renew();
      await broker.settled(BROKER_WAIT_MS);
      if (broker.up) await Promise.all([...robots.values()].map((robot) => robot.whenSeen(PRESENCE_WAIT_MS)));
    },
    close() {
      for (const { reports } of robots.values()) reports.close();
      return broker.close();
    },
  };
}
