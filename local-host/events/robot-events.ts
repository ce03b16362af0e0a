import { ServiceError } from '../../functions/shared/errors.ts';
import type { Feed } from '../../functions/shared/events/feeds.ts';
import { EventHub } from '../../functions/shared/events/hub.ts';
import { TOPICS, type TopicName } from '../../functions/shared/events/topics.ts';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { assertReachesHost } from '../../functions/shared/pipeline/require-host.ts';
import { type Port, type Ports, port } from '../../functions/shared/port.ts';
import { robotLink } from '../../functions/shared/robot-link/ports.ts';
import { jointsFeed, stateFeed } from './feeds/robot-state.ts';
import { eventStreams } from './ports.ts';

/** Topics of robots that the host of a fleet has. All others exist only at the robot itself. */
const OF_A_ROBOT: ReadonlySet<TopicName> = new Set(['state', 'joints', 'missions', 'safety', 'commands']);

/** The event hub of one robot of a fleet. It needs no link, because links publish to it. */
export const robotHub: Port<EventHub> = /* @__PURE__ */ port(
  'event hub of a robot',
  ({ config, clock }) => new EventHub({ source: `/robots/${config.SERVICE_ROBOT_ID}`, clock }),
  (hub) => hub.close(),
  { perRobot: true },
);

/** The events of the robot named in the path, or of this machine. */
const eventsHere: Port<EventHub> = /* @__PURE__ */ port(
  'events of a robot',
  async (ports) => {
    if (ports.robotId === undefined) return (await ports.get(eventStreams)).hub;
    const hub = await ports.get(robotHub);
    const link = await ports.get(robotLink);
    hub.provide('state', stateFeed({ robotLink: link, events: hub, mode: ports.config.SERVICE_MODE }));
    hub.provide('joints', jointsFeed({ robotLink: link, events: hub }));
    const topics = Object.keys(TOPICS) as TopicName[]; // as: its own keys
    for (const topic of topics) if (!OF_A_ROBOT.has(topic)) hub.provide(topic, elsewhere(ports.robotId));
    return hub;
  },
  undefined,
  { perRobot: true },
);

/** Events to subscribe to. Call `release` when they are no longer received; calling it again does no harm. */
export interface OpenEvents {
  readonly hub: EventHub;
  readonly release: () => void;
}

/** Opens the events of the path, for callers with an accepted token. */
export const openEvents: Port<(keyId: string) => Promise<OpenEvents>> = /* @__PURE__ */ port(
  'open events',
  (ports) => (keyId) => open(ports, keyId),
  undefined,
  { perRobot: true },
);

/** Keeps the robot open while somebody receives its events. */
async function open(visited: Ports, keyId: string): Promise<OpenEvents> {
  const { ports, release: leave } = visited.admit();
  let left = false;
  const release = () => {
    if (!left) leave();
    left = true;
  };
  try {
    if (ports.config.fleet && ports.robotId === undefined) assertReachesHost(await ports.get(keyStore), keyId);
    return { hub: await ports.get(eventsHere), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The error for a topic that is not available at the host of a fleet. */
function elsewhere(robotId: string): Feed {
  const refuse = () => {
    throw new ServiceError('component_unavailable', {
      detail: `This topic is only reachable at the robot "${robotId}" itself. Here there are ${[...OF_A_ROBOT].join(', ')}.`,
    });
  };
  return { assertAllowed: refuse, open: refuse };
}
