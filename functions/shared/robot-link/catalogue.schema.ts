import * as z from 'zod';
import { Json } from '../kit/json.schema.ts';

/** The kind of value a command takes; `none` takes no value. */
export const COMMAND_KINDS = ['coordinates', 'str', 'int', 'float', 'bool', 'dict', 'list', 'none'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];
/** What the items of a list may be. */
const ITEM_KINDS = ['str', 'int', 'float', 'bool'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/**
 * One command of a robot: what it can be told or asked. Robots send it over MQTT, and clients read it, in this form.
 */
export const CommandSpec = z
  .object({
    name: z.string().min(1).max(128),
    kind: z.enum(COMMAND_KINDS).describe('the value it takes; `none` takes no value'),
    title: z.string(),
    effect: z.enum(['query', 'action']).describe('`query` does not change the robot'),
    bounds: z
      .object({ minimum: z.number().exactOptional(), maximum: z.number().exactOptional() })
      .meta({ id: 'CommandBounds' })
      .exactOptional()
      .describe('inclusive; for int and float'),
    unit: z.string().exactOptional().describe('for int and float'),
    waits: z.literal(true).exactOptional().describe('it returns when something has happened, which may take minutes'),
    items: z.enum(ITEM_KINDS).exactOptional().describe('type of the items of a list; absent: any'),
    args: z
      .record(z.string(), Json)
      .exactOptional()
      .describe('JSON Schema of the value, units as `x-unit`, without patterns; checked before the command is sent'),
    result: z
      .record(z.string(), Json)
      .exactOptional()
      .describe('JSON Schema of what the robot answers; absent: the robot does not say'),
    examples: z
      .array(z.object({ value: Json.exactOptional(), result: Json.exactOptional() }).meta({ id: 'CommandExample' }))
      .exactOptional()
      .describe('values as they may be sent, and what the robot answers to them'),
    motion: z
      .boolean()
      .exactOptional()
      .describe('whether it moves the robot or changes how it moves; absent: the robot does not say'),
    replaces: z
      .literal(true)
      .exactOptional()
      .describe('a drive of the base: it cancels the drive that is under way, and does not wait for it to arrive'),
    on_lapse: z
      .enum(['stop', 'finish'])
      .exactOptional()
      .describe('`finish`: what it started continues when the link or lease it was started under is lost'),
  })
  .meta({ id: 'CommandSpec' });
export type CommandSpec = Readonly<z.infer<typeof CommandSpec>>;

/** What the robot confirmed after a stop. */
export const StopReport = z.object({
  stopped: z.literal(true).describe('the robot has confirmed that it stands still'),
  cancelled_missions: z.int().min(0).exactOptional().describe('absent when the robot does not say how many'),
  runs_stopped: z.array(z.string()).exactOptional().describe('ids of the runs of skills that it ends; absent: none'),
});
export type StopReport = Readonly<z.infer<typeof StopReport>>;
