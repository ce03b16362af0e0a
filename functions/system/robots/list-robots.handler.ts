import { keyStore } from '../../shared/identity/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { knownRobots } from './ports.ts';
import { RobotList } from './robots.schema.ts';

/** GET /api/v2/robots/: the robots that the caller's API key may reach. Any valid token, of any robot of a fleet. */
export const handler = endpoint({
  access: 'any-token',
  anyRobot: true,
  summary: 'List the robots that this API key reaches',
  description:
    'In a fleet every robot that its broker knows, else the one of this service. An API key that is limited to robots is shown these, and may ask with a token for any of them.',
  output: RobotList,
  errors: ['robot_unavailable'],
  uses: { knownRobots, keyStore },
}).handler(async ({ caller }, { knownRobots, keyStore }) => {
  const limits = keyStore.findById(caller.keyId)?.robots;
  const robots = await knownRobots.list();
  const found = limits
    ? limits.map(
        (id) => robots.find((robot) => robot.id === id) ?? { id, online: false, since: undefined, catalogueSize: 0 },
      )
    : robots;
  return {
    robots: found.map(({ id, online, since, catalogueSize }) => ({
      id,
      online,
      since: since === undefined ? null : new Date(since).toISOString(),
      catalogue_size: catalogueSize,
      state: null,
    })),
  };
});
