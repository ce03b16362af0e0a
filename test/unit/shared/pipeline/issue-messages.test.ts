import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { endpoint } from '../../../../functions/shared/pipeline/endpoint.ts';
import type { InputSpec } from '../../../../functions/shared/pipeline/spec.ts';
import { type Answer, type Invocation, invoke } from '../../../support/invoke.ts';
import { testPorts } from '../../../support/world.ts';

/** The faults of a request that the schemas refuse, as a client sees them. */
async function faultsOf(input: InputSpec, request: Omit<Invocation, 'ports'>): Promise<Answer['body']['errors']> {
  const handler = endpoint({ access: 'public', summary: 'Test', input, output: z.null() }).handler(() => null);
  const answer = await invoke(handler, { ports: testPorts(), ...request });
  expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  return answer.body.errors;
}

const inBody = (schema: z.ZodType, value: unknown) =>
  faultsOf({ body: z.strictObject({ field: schema }) }, { method: 'POST', body: { field: value } });

const tagged = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]);

/** Code of the issue, schema of the member "field", what is sent as its value, and the sentence. */
const BODY_FAULTS: ReadonlyArray<[code: string, schema: z.ZodType, value: unknown, sentence: string]> = [
  ['invalid_type', z.string(), 5, '"field" must be a string, not a number.'],
  ['invalid_type', z.number(), null, '"field" must be a number, not null.'],
  ['invalid_type', z.boolean(), 'yes', '"field" must be true or false, not a string.'],
  ['invalid_type', z.array(z.string()), {}, '"field" must be a list, not an object.'],
  ['invalid_type', z.record(z.string(), z.string()), [], '"field" must be an object, not a list.'],
  ['invalid_type', z.int(), 1.5, '"field" must be an integer, not a fraction.'],
  ['invalid_type', z.int(), true, '"field" must be an integer, not a boolean.'],
  ['invalid_type', z.never(), 1, '"field" must be left out.'],
  ['invalid_type', z.string(), undefined, '"field" is required: add it to the JSON body.'],
  ['invalid_value', z.enum(['a', 'b', 'c']), 'd', '"field" must be "a", "b" or "c".'],
  ['invalid_value', z.literal(1), 2, '"field" must be 1.'],
  ['too_big', z.string().max(3), 'long', '"field" must have at most 3 characters.'],
  ['too_big', z.array(z.int()).max(1), [1, 2], '"field" must have at most 1 item.'],
  ['too_big', z.number().max(100), 101, '"field" must be at most 100.'],
  ['too_big', z.number().lt(1), 1, '"field" must be less than 1.'],
  ['too_big', z.int(), 2 ** 53, '"field" must be at most 9007199254740991.'],
  ['too_big', z.string().length(2), 'abc', '"field" must have exactly 2 characters.'],
  ['too_small', z.string().min(1), '', '"field" must not be empty.'],
  ['too_small', z.string().min(8), 'short', '"field" must have at least 8 characters.'],
  ['too_small', z.number().min(0), -1, '"field" must be at least 0.'],
  ['too_small', z.number().gt(0), 0, '"field" must be more than 0.'],
  ['too_small', z.string().length(2), 'a', '"field" must have exactly 2 characters.'],
  [
    'invalid_format',
    z.iso.datetime({ offset: true }),
    'yesterday',
    '"field" must be a date and time with its offset (RFC 3339), as in 2026-05-04T10:20:30Z.',
  ],
  ['invalid_format', z.uuid(), 'x', '"field" must be a UUID.'],
  ['invalid_format', z.string().startsWith('rk'), 'x', '"field" must start with "rk".'],
  ['invalid_format', z.string().endsWith('.py'), 'x', '"field" must end with ".py".'],
  ['invalid_format', z.string().includes('@'), 'x', '"field" must contain "@".'],
  ['invalid_format', z.string().regex(/^a+$/), 'x', '"field" must match /^a+$/.'],
  ['invalid_format', z.cidrv4(), 'x', expect.stringMatching(/^"field" must match \//) as never], // as: a matcher
  ['invalid_format', z.jwt(), 'x', '"field" must be of the format jwt.'],
  ['not_multiple_of', z.number().multipleOf(5), 3, '"field" must be a multiple of 5.'],
  ['invalid_union', z.union([z.string(), z.number()]), true, '"field" must be a string or a number.'],
  ['invalid_union', z.union([z.string().max(1), z.number()]), 'long', '"field" must have at most 1 character.'],
  ['invalid_union', tagged, { kind: 'c' }, expect.stringMatching(/^"field.kind" /) as never], // as: a matcher
  [
    'invalid_union',
    z.xor([z.string(), z.string().max(9)]),
    'x',
    '"field" fits several of the forms allowed here, and must fit exactly one.',
  ],
  [
    'invalid_key',
    z.record(z.string().max(2), z.int()),
    { long: 1 },
    expect.stringMatching(/^"field.long" has a name that is not allowed: /) as never, // as: a matcher
  ],
  ['unrecognized_keys', z.strictObject({ a: z.int() }), { a: 1, b: 2 }, 'Unknown member "b". Known here: a.'],
  ['unrecognized_keys', z.strictObject({}), { b: 2 }, 'Unknown member "b". None are known here.'],
  ['custom', z.custom(() => false), 1, '"field" is not valid here; GET /openapi.json describes what is.'],
  ['custom', z.unknown().refine(() => false, 'A sentence of its own.'), 1, 'A sentence of its own.'],
];

/** What zod says of itself. */
const RAW =
  /Invalid (input|option|string|number|key|value|element)|Too (big|small)|Unrecognized|expected .* (to|received)/;

describe('A body that does not fit its schema', () => {
  it.each(BODY_FAULTS)(
    'is refused for %s with a sentence that mends it (%#)',
    async (_code, schema, value, sentence) => {
      const [fault] = await inBody(schema, value);
      expect(fault.message).toEqual(sentence);
      expect(fault.message).not.toMatch(RAW);
    },
  );

  it('meets every code of the schema library that JSON can provoke', () => {
    // invalid_element is for maps and sets, which are no JSON.
    const codes = Object.values(z.ZodIssueCode).filter((code) => code !== 'invalid_element');
    expect([...new Set(BODY_FAULTS.map(([code]) => code))].sort()).toEqual(codes.sort());
  });

  it.each<[unknown, z.ZodType, string]>([
    [40, z.strictObject({ value: z.int() }), 'The body is a number and must be an object; wrap it: {"value": …}.'],
    ['x', z.strictObject({ value: z.unknown() }), 'The body is a string and must be an object; wrap it: {"value": …}.'],
    [
      [1],
      z.strictObject({ command: z.string(), value: z.unknown(), note: z.string().optional() }),
      'The body is a list and must be an object; wrap it: {"command": …, "value": …}.',
    ],
    [true, z.record(z.string(), z.int()), 'The body must be an object, not a boolean.'],
  ])('is told how to wrap a bare %j', async (value, body, sentence) => {
    const [fault] = await faultsOf({ body }, { method: 'POST', body: JSON.stringify(value) });
    expect(fault).toEqual({ pointer: '', message: sentence });
  });

  it('has its fault named by path, with long names of its own cut', async () => {
    const body = z.strictObject({ config: z.array(z.strictObject({ touch: z.string() })) });
    const [fault] = await faultsOf({ body }, { method: 'POST', body: { config: [{ touch: 1 }] } });
    expect(fault).toEqual({ pointer: '/config/0/touch', message: '"config[0].touch" must be a string, not a number.' });
    const [long] = await faultsOf({ body }, { method: 'POST', body: { config: [], ['x'.repeat(500)]: 1 } });
    expect(long.message).toBe(`Unknown member "${'x'.repeat(64)}…". Known here: config.`);
  });
});

describe('A query, path or header that does not fit its schema', () => {
  const query = z.strictObject({ since: z.iso.datetime({ offset: true }).optional(), name: z.string() });

  it.each<[string, InputSpec, Omit<Invocation, 'ports'>, string, string]>([
    ['a missing parameter', { query }, {}, 'query:name', '"name" is required: add "?name=…" to the URL.'],
    [
      'a plus sign that became a space',
      { query },
      { query: { name: 'x', since: '2026-05-04T10:20:30 02:00' } },
      'query:since',
      '"since" must be a date and time with its offset (RFC 3339), as in 2026-05-04T10:20:30Z. Write a plus sign as %2B in a URL.',
    ],
    [
      'an unknown parameter',
      { query },
      { query: { name: 'x', nane: 'y' } },
      'query:nane',
      'Unknown query parameter "nane". Known here: since, name.',
    ],
    [
      'a parameter where none is known',
      {},
      { query: { x: '1' } },
      'query:x',
      'Unknown query parameter "x". None are known here.',
    ],
    [
      'JSON in a parameter',
      {
        query: z.strictObject({
          data: z
            .string()
            .transform((text) => JSON.parse(text))
            .pipe(z.object({ id: z.int() })),
        }),
      },
      { query: { data: '{}' } },
      'query:data',
      '"data.id" is required: add it to the JSON in the query parameter "data".',
    ],
    [
      'a path',
      { path: z.object({ command: z.string().max(3) }) },
      { params: { command: 'long' } },
      'path:command',
      '"command" must have at most 3 characters.',
    ],
    ['a missing segment', { path: z.object({ x: z.string() }) }, {}, 'path:x', '"x" is required in the path.'],
    [
      'a header',
      { headers: z.object({ 'if-match': z.string() }) },
      {},
      'header:if-match',
      'The header "if-match" is required.',
    ],
  ])('is refused for %s with a sentence that mends it', async (_what, input, request, pointer, message) => {
    expect(await faultsOf(input, request)).toEqual([{ pointer, message }]);
  });
});
