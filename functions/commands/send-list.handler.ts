import { ListCommand } from './command.schema.ts';
import { typedCommand } from './typed-command.ts';

/**
 * POST /api/{version}/list/: a command that takes a list. Any valid token (ListCommand, specification, section 2.1).
 */
export const handler = typedCommand('list', ListCommand, 'Send a command that takes a list');
