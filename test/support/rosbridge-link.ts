import { isBlockedByStop } from '../../functions/commands/run-command.ts';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import { parseMapping } from '../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import {
  openRosbridgeRobot,
  type Surroundings,
} from '../../functions/shared/robot-link/adapters/rosbridge/rosbridge-robot.ts';
import type { RobotLink, SendOptions } from '../../functions/shared/robot-link/port.ts';
import { plain } from './robot.ts';
import { RosbridgeStandIn } from './rosbridge-server.ts';
import { silentLogger } from './world.ts';

/** A client of a link under test. */
export interface LinkClient {
  readonly link: RobotLink;
  send(command: string, value?: JsonValue, signal?: AbortSignal, clientId?: string): Promise<JsonValue>;
  stop(options?: Partial<SendOptions>): Promise<unknown>;
}

/** A link under test, the stand-in it speaks to, and a client of it. */
export interface Scene extends LinkClient {
  readonly standIn: RosbridgeStandIn;
}

const opened: Array<{ close(): unknown }> = [];

/** Opens a link over a mapping; {@link closeScenes} closes it. `url` leads to the stand-in another way. The robot has a service /halt that confirms a stop. */
export async function scene(mapping: string, standIn?: RosbridgeStandIn, url?: string): Promise<Scene> {
  const server = standIn ?? (await RosbridgeStandIn.start());
  if (!server.services.has('/halt')) server.services.set('/halt', () => ({ ok: true }));
  const link = await openLink(mapping, url ?? server.url);
  opened.push(server);
  return { ...clientOf(link), standIn: server };
}

/** A client that waits for each answer for a minute at most. */
export function clientOf(link: RobotLink): LinkClient {
  const options = (more: Partial<SendOptions>): SendOptions => ({
    deadline: Date.now() + 60_000,
    signal: new AbortController().signal,
    ...more,
  });
  return {
    link,
    async send(command, value, signal, clientId = 'alice') {
      const sender = { clientId, accessLevel: 'USER', keyId: 'key-1' } as const;
      const spec = link.catalogue().get(command);
      const order = {
        command,
        sender,
        ...(value === undefined ? {} : { value }),
        ...(spec && isBlockedByStop(spec) ? { arrivedAt: arrivalStamp() } : {}),
      };
      const answer = await link.send(order, options(signal ? { signal } : {}));
      return plain(answer);
    },
    stop: async (more = {}) => link.stop(options(more)),
  };
}

/** A link to a server at an address, which need not be there. */
export async function openLink(mapping: string, url: string, more: Partial<Surroundings> = {}): Promise<RobotLink> {
  const parsed = parseMapping(mapping);
  const link = await openRosbridgeRobot({ url, mapping: parsed, logger: silentLogger, clock: Date.now, ...more });
  opened.push(link);
  return link;
}

/** A stand-in without a link; {@link closeScenes} closes it. */
export async function startStandIn(port?: number): Promise<RosbridgeStandIn> {
  const standIn = await RosbridgeStandIn.start(port);
  opened.push(standIn);
  return standIn;
}

export async function closeScenes(): Promise<void> {
  for (const each of opened.splice(0)) await each.close();
}
