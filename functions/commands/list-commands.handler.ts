import { endpoint } from '../shared/middleware/endpoint.ts';
import { robotLink } from '../shared/ports.ts';
import { Catalogue } from './command.schema.ts';

/** GET /api/{version}/commands/: the commands this robot knows. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'List the commands of the robot',
  output: Catalogue,
  errors: ['robot_unavailable'],
  uses: { robotLink },
}).handler((_call, { robotLink }) => ({ commands: [...robotLink.catalogue().values()] }));
