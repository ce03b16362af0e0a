import { DictCommand } from './command.schema.ts';
import { typedCommand } from './typed-command.ts';

/** POST /api/{version}/dict/: a command that takes an object. Any valid token (specification, section 4.2). */
export const handler = typedCommand('dict', DictCommand, 'Send a command that takes an object');
