import { IntCommand } from './command.schema.ts';
import { typedCommand } from './typed-command.ts';

/** POST /api/{version}/int/: a command that takes an integer. Any valid token (specification, section 4.2). */
export const handler = typedCommand('int', IntCommand, 'Send a command that takes an integer');
