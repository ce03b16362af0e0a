import * as z from 'zod';
import type { JsonObject } from '../kit/json.ts';

const compiled = new WeakMap<JsonObject, z.ZodType>();

/**
 * The schema that a catalogue gives for the value of a command (JSON Schema, draft 2020-12 or 7), compiled once.
 * Patterns are refused: they come from another machine, and one that backtracks would stop this process.
 * @throws Error saying what cannot be used.
 */
export function argsSchema(schema: JsonObject): z.ZodType {
  let known = compiled.get(schema);
  if (!known) {
    refusePatterns(schema);
    known = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]); // as: what it cannot use it refuses
    compiled.set(schema, known);
  }
  return known;
}

function refusePatterns(schema: JsonObject): void {
  const text = JSON.stringify(schema);
  if (/"pattern(Properties)?":/.test(text)) throw new Error('Patterns are not supported here');
}
