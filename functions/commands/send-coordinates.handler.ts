import { CoordinatesCommand } from './command.schema.ts';
import { typedCommand } from './typed-command.ts';

/**
 * POST /api/{version}/coordinates/: a command that takes coordinates in metres and degrees. Any valid token
 * (specification, section 4.2).
 */
export const handler = typedCommand(
  'coordinates',
  CoordinatesCommand,
  'Send a command that takes coordinates in metres and degrees',
);
