import { StrCommand } from './command.schema.ts';
import { typedCommand } from './typed-command.ts';

/** POST /api/{version}/str/: a command that takes a string. Any valid token (specification, section 4.2). */
export const handler = typedCommand('str', StrCommand, 'Send a command that takes a string');
