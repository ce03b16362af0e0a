import { endpoint } from '../shared/pipeline/endpoint.ts';
import { robotLink } from '../shared/robot-link/ports.ts';
import { Catalogue } from './command.schema.ts';
import { describedCommand } from './value-schema.ts';

/** GET /api/{version}/commands/: the commands this robot knows. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  perRobot: true,
  summary: 'List the commands of the robot',
  output: Catalogue,
  errors: ['robot_unavailable'],
  uses: { robotLink },
}).handler((_call, { robotLink }) => ({ commands: [...robotLink.catalogue().values()].map(describedCommand) }));
