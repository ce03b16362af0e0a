import type { JsonObject } from '../shared/kit/json.ts';
import type { CommandSpec } from '../shared/robot-link/port.ts';
import { LONGEST_STRING } from './command.schema.ts';

const COORDINATES: JsonObject = {
  type: 'object',
  properties: {
    x: { type: 'number', default: 0, 'x-unit': 'm' },
    y: { type: 'number', default: 0, 'x-unit': 'm' },
    z: { type: 'number', default: 0, 'x-unit': 'm' },
    theta: { type: 'number', default: 0, 'x-unit': '°' },
  },
  additionalProperties: false,
};

/** The JSON type of each kind of item. */
const ITEM_TYPES = { str: 'string', int: 'integer', float: 'number', bool: 'boolean' } as const;

/** JSON Schema of the value that a command takes, by its kind, bounds and items; undefined for kind `none`. */
export function valueSchema({ kind, bounds, unit, items }: CommandSpec): JsonObject | undefined {
  switch (kind) {
    case 'none':
      return undefined;
    case 'coordinates':
      return COORDINATES;
    case 'str':
      return { type: 'string', maxLength: LONGEST_STRING };
    case 'bool':
      return { type: 'boolean' };
    case 'dict':
      return { type: 'object' };
    case 'list':
      return { type: 'array', ...(items && { items: { type: ITEM_TYPES[items] } }) };
    case 'int':
    case 'float':
      return { type: kind === 'int' ? 'integer' : 'number', ...bounds, ...(unit !== undefined && { 'x-unit': unit }) };
  }
}

/** A catalogue entry as clients read it: with `args`, also where the robot states only kind, bounds and items. */
export function describedCommand(spec: CommandSpec): CommandSpec {
  const args = spec.args ?? valueSchema(spec);
  return args ? { ...spec, args } : spec;
}
