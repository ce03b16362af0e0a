import { BoolCommand } from './command.schema.ts';
import { typedCommand } from './typed-command.ts';

/** POST /api/{version}/bool/: a command that takes a boolean. Any valid token (specification, section 4.2). */
export const handler = typedCommand('bool', BoolCommand, 'Send a command that takes a boolean');
