import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import * as schemas from '../../../functions/commands/command.schema.ts';
import { valueFor } from '../../../functions/commands/command-value.ts';
import { ServiceError } from '../../../functions/shared/errors.ts';
import type { JsonValue } from '../../../functions/shared/kit/json.ts';
import { COMMAND_KINDS, type CommandKind } from '../../../functions/shared/robot-link/catalogue.schema.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
/** JSON without integers that a double cannot carry exactly; those have rows of their own elsewhere. */
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue) // as: what JSON.parse gives
  .filter((value) => !/e\+|\d{16}/.test(JSON.stringify(value)));
const axes = fc.record({ x: finite, y: finite, z: finite, theta: finite }, { requiredKeys: [] });

const VALID: Readonly<Record<Exclude<CommandKind, 'none'>, fc.Arbitrary<unknown>>> = {
  coordinates: axes,
  str: fc.string({ unit: 'grapheme', maxLength: 100 }),
  int: fc.maxSafeInteger(),
  float: finite,
  bool: fc.boolean(),
  dict: fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    json,
  ),
  list: fc.array(json),
};
const KINDS = Object.keys(VALID) as (keyof typeof VALID)[]; // as: the keys of the very object

/** The kinds whose values a JSON value is, told from the value alone. */
function kindsOf(value: JsonValue): CommandKind[] {
  if (typeof value === 'string') return ['str'];
  if (typeof value === 'boolean') return ['bool'];
  if (typeof value === 'number') return Number.isSafeInteger(value) ? ['int', 'float'] : ['float'];
  if (Array.isArray(value)) return ['list'];
  if (value === null) return [];
  const known = Object.entries(value).every(
    ([key, axis]) => 'x y z theta'.split(' ').includes(key) && typeof axis === 'number',
  );
  return known ? ['dict', 'coordinates'] : ['dict'];
}

const commandSchema: Record<keyof typeof VALID, z.ZodType<{ command: string; value: unknown }>> = {
  coordinates: schemas.CoordinatesCommand,
  str: schemas.StrCommand,
  int: schemas.IntCommand,
  float: schemas.FloatCommand,
  bool: schemas.BoolCommand,
  dict: schemas.DictCommand,
  list: schemas.ListCommand,
};

describe('The command schemas', () => {
  it.each(KINDS)('pass every value of kind %s through unchanged', (kind) => {
    fc.assert(
      fc.property(VALID[kind], (value) => {
        const parsed = commandSchema[kind].parse({ command: 'c', value }).value;
        if (kind === 'coordinates')
          expect(parsed).toEqual({ x: 0, y: 0, z: 0, theta: 0, ...(value as object) }); // as: axes
        else expect(parsed).toEqual(value);
      }),
    );
  });

  it.each(KINDS)('accept only values of kind %s', (kind) => {
    fc.assert(
      fc.property(json, (value) => {
        const { success } = commandSchema[kind].safeParse({ command: 'c', value });
        expect(success).toBe(kindsOf(value).includes(kind));
      }),
    );
  });

  it('agree with the validation of commands/{command}/', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(...COMMAND_KINDS), (value, kind) => {
        const spec = { name: 'c', kind, title: '', effect: 'query' } as const;
        let status = 200;
        try {
          valueFor(spec, value);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          if (error instanceof ServiceError) status = error.status;
        }
        const fits = kind === 'none' ? value === null : kindsOf(value).includes(kind);
        expect(status).toBe(fits ? 200 : 422);
      }),
      { numRuns: 500 },
    );
  });
});
