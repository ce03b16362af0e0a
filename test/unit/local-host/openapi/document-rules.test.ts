import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { columnNames, TABLES } from '../../../../functions/database/tables.ts';
import { isNamed } from '../../../../local-host/openapi/operation-ids.ts';
import { ROUTES } from '../../../../local-host/routes.ts';
import {
  everySchema,
  modelOf,
  models,
  modelsOf,
  operations,
  type Schema,
  schemasBelow,
  schemasOf,
  served,
} from '../../../support/openapi-document.ts';

/** Where the document breaks a rule. */
const placesOf = (breaks: (schema: Schema) => boolean, schemas = everySchema()) =>
  schemas.filter(([, schema]) => breaks(schema)).map(([place]) => place);

const answered = [...modelsOf('answers')];
const taken = [...modelsOf('requests')];
const schemasOfModels = (names: readonly string[]) =>
  names.flatMap((name) => [...schemasBelow(models[name] ?? {}, name)]);

describe('What generators of clients trip over stands nowhere in the document', () => {
  it('a constant', () => {
    expect(placesOf((schema) => 'const' in schema || schema.enum?.length === 1)).toEqual([]);
  });

  it('an alternative, except between a named model and null', () => {
    const isNullable = ([first, second, ...others]: readonly Schema[]) =>
      first?.$ref !== undefined && second?.type === 'null' && others.length === 0;
    expect(placesOf(({ anyOf }) => anyOf !== undefined && !isNullable(anyOf))).toEqual([]);
    expect(placesOf((schema) => 'oneOf' in schema || 'allOf' in schema || 'not' in schema)).toEqual([]);
  });

  it('an object or an enum without a name', () => {
    const nameless = everySchema().filter(([place]) => !(place in models));
    expect(placesOf((schema) => 'properties' in schema || 'enum' in schema, nameless)).toEqual([]);
    expect(Object.keys(models).filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  });

  it('a number without a format', () => {
    const formatted = (schema: Schema, type: string, format: string) =>
      ![schema.type].flat().includes(type) || schema.format === format;
    expect(
      placesOf((schema) => !formatted(schema, 'integer', 'int64') || !formatted(schema, 'number', 'double')),
    ).toEqual([]);
  });

  it('a pattern beside a format, or one that few languages know', () => {
    expect(placesOf(({ pattern, format }) => pattern !== undefined && format !== undefined)).toEqual([]);
    expect(placesOf(({ pattern = '' }) => /\\[pP]\{|\(\?[<!=]/.test(pattern))).toEqual([]);
  });

  it('bytes without a type', () => {
    const nothingSaid = ([place, schema]: [string, Schema]) => !place.includes('/json') && schema.type === undefined;
    const whole = schemasOf('answers').filter(([place]) => /^\w+ [^/]+\/[^/]+$/.test(place));
    expect(whole.length).toBeGreaterThan(100);
    expect(whole.filter(nothingSaid).filter(([, { $ref }]) => $ref === undefined)).toEqual([]);
    const { content } = served.paths['/api/v2/meshes/{filepath}'].get.responses['200'];
    expect(Object.keys(content)[0]).toBe('application/octet-stream');
    expect(Object.values<{ schema: object }>(content).map(({ schema }) => schema)).toContainEqual({
      type: 'string',
      format: 'binary',
    });
  });

  it('a model that has a member of its own name, or that nothing names', () => {
    const own = Object.entries(models).filter(([name, { properties = {} }]) => name.toLowerCase() in properties);
    expect(own.map(([name]) => name)).toEqual([]);
    const described = everySchema().map(([, { description = '' }]) => description);
    const named = (name: string) => described.some((description) => description.includes(`\`${name}\``));
    const used = new Set([...taken, ...answered]);
    expect(Object.keys(models).filter((name) => !used.has(name) && !named(name))).toEqual([]);
  });
});

describe('An answer', () => {
  it('is open, so that a client survives what is added', () => {
    expect(answered.length).toBeGreaterThan(25);
    const open = [...schemasOf('answers'), ...schemasOfModels(answered)];
    expect(
      placesOf((schema) => 'unevaluatedProperties' in schema || schema.additionalProperties === false, open),
    ).toEqual([]);
    expect(placesOf((schema) => 'properties' in schema && 'additionalProperties' in schema, open)).toEqual([]);
  });

  it('has an enum only where the specification closes the set', () => {
    expect(answered.filter((name) => models[name]?.enum)).toEqual(['AccessLevel']);
  });

  it('of a table is free, and the model of each table has its columns', () => {
    expect(models.Row).toMatchObject({ type: 'object', additionalProperties: true });
    for (const table of TABLES) {
      const words = table.name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
      expect(Object.keys(models[`${words.join('')}Row`]?.properties ?? {})).toEqual(columnNames(table));
    }
  });

  it.each([
    ['readTable', ['X-Total-Count']],
    ['getServiceLogs', ['X-Truncated']],
    ['getLlmConfig', ['ETag']],
    ['updateLlmConfig', ['ETag']],
    ['getUrdf', ['ETag']],
    ['getMesh', ['ETag']],
    ['downloadSkill', ['ETag']],
    ['authenticate', ['Authorization']],
  ])('%s declares its headers', (id, headers) => {
    const { operation } = operations.find((one) => one.operation.operationId === id) ?? {};
    expect(Object.keys(operation?.responses['200']?.headers ?? {})).toEqual(expect.arrayContaining(headers));
  });
});

describe('A request', () => {
  it('refuses unknown members, by a keyword that generators pass over: they lose members by the usual one', () => {
    const objects = taken.filter((name) => models[name]?.properties);
    expect(objects.filter((name) => models[name]?.unevaluatedProperties !== false)).toEqual(['SkillForm']);
    expect(placesOf((schema) => schema.additionalProperties === false)).toEqual([]);
  });

  it('names its table out of an enum', () => {
    const tables = TABLES.map(({ name }) => name);
    expect(models.TableName?.enum).toEqual(tables);
    const named = operations
      .flatMap(({ operation }) => operation.parameters ?? [])
      .filter(({ name }) => name === 'tablename');
    expect(named.length).toBeGreaterThan(1);
    for (const { schema } of named) expect(modelOf(schema)).toBe(models.TableName);
    for (const name of ['DatabaseItem', 'UpdateRequest', 'LoadDatabase'])
      expect(modelOf(models[name]?.properties?.tablename ?? {})).toBe(models.TableName);
  });

  it('has an example that fits its schema', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(served, 'api');
    const bodies = operations.flatMap(({ operation: { operationId, requestBody } }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema, example }) => ({ operationId, schema, example })),
    );
    const without = bodies.filter(({ example }) => example === undefined).map(({ operationId }) => operationId);
    expect(without).toEqual([
      'uploadUrdf',
      'uploadMesh',
      'uploadTable',
      'uploadBackup',
      'restoreRobot',
      'uploadSkillV1',
      'uploadSkill',
    ]);
    for (const { operationId, schema, example } of bodies.filter(({ example }) => example !== undefined)) {
      const fits = ajv.validate({ $ref: `api${schema.$ref}` }, example);
      expect([operationId, fits, ajv.errorsText()]).toEqual([operationId, true, 'No errors']);
    }
  });

  it.each([
    ['BoolValuePayload', 'boolean'],
    ['DictValuePayload', 'object'],
    ['FloatValuePayload', 'number'],
    ['IntValuePayload', 'integer'],
    ['ListValuePayload', 'array'],
    ['StrValuePayload', 'string'],
  ])('has the model %s of the specification', (name, type) => {
    expect(models[name]).toMatchObject({ required: ['value'], properties: { value: { type } } });
  });

  it('has the models CoordinatesValuePayload and NoArgCommand of the specification', () => {
    expect(models.CoordinatesValuePayload?.properties?.value).toEqual({ $ref: '#/components/schemas/Coordinates' });
    expect(models.NoArgCommand).toMatchObject({ required: ['command'], properties: { command: { type: 'string' } } });
  });
});

describe('An operation', () => {
  const ids = operations.map(({ operation }) => operation.operationId);

  it('has a name that a person gave it', () => {
    expect(ROUTES.filter((route) => !isNamed(route)).map(({ path }) => path)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*(V1)?$/.test(id))).toEqual([]);
    expect(ids).toEqual(expect.arrayContaining(['listCommands', 'readTable', 'deleteSkill', 'readTableV1']));
  });

  it('of version 1 is marked as the older form of one that is there', () => {
    for (const { path, operation } of operations) {
      expect([path, operation.deprecated ?? false]).toEqual([path, path.startsWith('/api/v1/')]);
      if (!operation.deprecated) continue;
      expect(operation.operationId).toMatch(/V1$/);
      const newer = /^The older form of `(\w+)`\./.exec(operation.description)?.[1];
      expect(ids).toContain(newer);
    }
  });

  it('may answer 414 and says so', () => {
    expect(operations.filter(({ operation }) => !('414' in operation.responses))).toEqual([]);
  });
});
