import { FloatCommand } from './command.schema.ts';
import { typedCommand } from './typed-command.ts';

/** POST /api/{version}/float/: a command that takes a number. Any valid token (specification, section 4.2). */
export const handler = typedCommand('float', FloatCommand, 'Send a command that takes a number');
