import { describe, expect, it } from '@jest/globals';
import { changesSincePublished, presentDocument, publishedDocument } from '../../../../scripts/openapi.ts';
import { changesBetween, type Node } from '../../../../scripts/openapi-changes.ts';

const COUNT = { type: 'integer', format: 'int64' };

const document = () => ({
  paths: {
    '/knobs': {
      post: {
        operationId: 'turnKnob',
        description: 'It squeaks.',
        security: [{ bearerAuth: [] }],
        parameters: [{ in: 'query', name: 'softly', schema: { type: 'boolean' } as Node, required: false }],
        requestBody: { required: false, content: { 'application/json': { schema: ref('Turn') } } },
        responses: {
          '200': { headers: { ETag: {} }, content: { 'application/json': { schema: ref('Turned') } } },
        } as Node,
      },
    } as Record<string, Node>,
  },
  components: {
    schemas: {
      Turn: {
        type: 'object',
        required: ['by'],
        properties: {
          by: { ...COUNT, minimum: 0 },
          side: { type: 'string', enum: ['left', 'right'] },
          note: { type: 'string' },
        },
      },
      Turned: {
        type: 'object',
        required: ['at'],
        properties: {
          at: COUNT,
          side: { type: 'string', enum: ['left', 'right'] },
          note: { type: ['string', 'null'] },
        },
      },
      Row: { type: 'object', properties: { id: COUNT } },
    } as Record<string, Node>,
  },
});
type Document = ReturnType<typeof document>;

function ref(name: string): Node {
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema of the document, to be written into. */
// biome-ignore lint/suspicious/noExplicitAny: tests write into every shape
const model = (after: Document, name: string) => after.components.schemas[name] as any;
// biome-ignore lint/suspicious/noExplicitAny: tests write into every shape
const operation = (after: Document) => after.paths['/knobs']?.post as any;

const NOTHING: ReadonlyArray<readonly [what: string, change: (after: Document) => void]> = [
  ['nothing', () => {}],
  ['a description', (after) => Object.assign(operation(after), { description: 'Oiled.' })],
  ['an example', (after) => Object.assign(model(after, 'Turn'), { example: { by: 1 } })],
];

const ADDITIVE: typeof NOTHING = [
  [
    'a new operation',
    (after) =>
      Object.assign(after.paths, { '/knobs': { ...after.paths['/knobs'], get: { operationId: 'listKnobs' } } }),
  ],
  ['a new optional parameter', (after) => operation(after).parameters.push({ in: 'query', name: 'twice', schema: {} })],
  ['a new status', (after) => Object.assign(operation(after).responses, { '409': {} })],
  [
    'a new media type of an answer',
    (after) => Object.assign(operation(after).responses['200'].content, { 'text/plain': { schema: {} } }),
  ],
  [
    'a new optional member of a request',
    (after) => Object.assign(model(after, 'Turn').properties, { twice: { type: 'boolean' } }),
  ],
  [
    'a new member of an answer',
    (after) => Object.assign(model(after, 'Turned').properties, { squeaks: { type: 'boolean' } }),
  ],
  [
    'a new required member of an answer',
    (after) => {
      model(after, 'Turned').properties.squeaks = { type: 'boolean' };
      model(after, 'Turned').required.push('squeaks');
    },
  ],
  ['a member that an answer always has', (after) => model(after, 'Turned').required.push('note')],
  ['a member that a request may leave out', (after) => Object.assign(model(after, 'Turn'), { required: [] })],
  ['a new value of a request', (after) => model(after, 'Turn').properties.side.enum.push('up')],
  [
    'a wider type of a request',
    (after) => Object.assign(model(after, 'Turn').properties.note, { type: ['string', 'null'] }),
  ],
  [
    'a narrower type of an answer',
    (after) => Object.assign(model(after, 'Turned').properties.note, { type: 'string' }),
  ],
  ['a lower minimum', (after) => Object.assign(model(after, 'Turn').properties.by, { minimum: -10 })],
  ['a new model', (after) => Object.assign(after.components.schemas, { Knob: { type: 'object' } })],
];

const BREAKING: typeof NOTHING = [
  ['a removed path', (after) => Reflect.deleteProperty(after.paths, '/knobs')],
  ['a removed method', (after) => Reflect.deleteProperty(after.paths['/knobs'] ?? {}, 'post')],
  ['a renamed operation', (after) => Object.assign(operation(after), { operationId: 'turn' })],
  ['another security', (after) => Object.assign(operation(after), { security: [{ apiKeyAuth: [] }] })],
  ['a removed parameter', (after) => operation(after).parameters.pop()],
  [
    'a new required parameter',
    (after) => operation(after).parameters.push({ in: 'query', name: 'x', schema: {}, required: true }),
  ],
  ['a parameter that is now required', (after) => Object.assign(operation(after).parameters[0], { required: true })],
  ['another type of a parameter', (after) => Object.assign(operation(after).parameters[0].schema, { type: 'string' })],
  ['a body that is now required', (after) => Object.assign(operation(after).requestBody, { required: true })],
  ['a removed status', (after) => delete operation(after).responses['200']],
  ['a removed header', (after) => delete operation(after).responses['200'].headers.ETag],
  ['a removed media type', (after) => delete operation(after).responses['200'].content['application/json']],
  [
    'a renamed model',
    (after) => Object.assign(operation(after).responses['200'].content['application/json'], { schema: ref('Row') }),
  ],
  ['a removed member of a request', (after) => delete model(after, 'Turn').properties.note],
  ['a removed member of an answer', (after) => Reflect.deleteProperty(model(after, 'Turned').properties, 'note')],
  [
    'a new required member of a request',
    (after) => {
      model(after, 'Turn').properties.force = COUNT;
      model(after, 'Turn').required.push('force');
    },
  ],
  ['a member that a request now has to have', (after) => model(after, 'Turn').required.push('note')],
  ['a member that an answer may now leave out', (after) => Object.assign(model(after, 'Turned'), { required: [] })],
  ['another type', (after) => Object.assign(model(after, 'Turned').properties.at, { type: 'string' })],
  [
    'another format',
    (after) => Object.assign(model(after, 'Turned').properties, { at: { type: 'integer', format: 'int32' } }),
  ],
  [
    'an answer that may be null',
    (after) => Object.assign(model(after, 'Turned').properties.at, { type: ['integer', 'null'] }),
  ],
  [
    'a request that may no longer be of a type',
    (after) => Object.assign(model(after, 'Turn').properties.note, { type: 'boolean' }),
  ],
  ['a removed value', (after) => model(after, 'Turn').properties.side.enum.pop()],
  ['a new value of an answer', (after) => model(after, 'Turned').properties.side.enum.push('up')],
  ['a higher minimum', (after) => Object.assign(model(after, 'Turn').properties.by, { minimum: 1 })],
  ['a new pattern', (after) => Object.assign(model(after, 'Turn').properties.note, { pattern: '^x' })],
  ['a closed request', (after) => Object.assign(model(after, 'Turn'), { additionalProperties: false })],
  ['a removed model that nothing refers to', (after) => Reflect.deleteProperty(after.components.schemas, 'Row')],
  [
    'a changed model that nothing refers to',
    (after) => Object.assign(model(after, 'Row').properties, { id: { type: 'string' } }),
  ],
];

describe('A change of the document', () => {
  const verdictOf = (change: (after: Document) => void) => {
    const after = structuredClone(document());
    change(after);
    const changes = changesBetween(document(), after);
    return changes.length === 0 ? 'nothing' : changes.some(({ breaking }) => breaking) ? 'breaking' : 'additive';
  };

  it.each(NOTHING)('%s is none', (_what, change) => expect(verdictOf(change)).toBe('nothing'));
  it.each(ADDITIVE)('%s is additive', (_what, change) => expect(verdictOf(change)).toBe('additive'));
  it.each(BREAKING)('%s is breaking', (_what, change) => expect(verdictOf(change)).toBe('breaking'));
});

describe('docs/openapi.json', () => {
  it('is the document that is served: `npm run openapi` writes it, and refuses what breaks clients', () => {
    expect(changesSincePublished()).toEqual([]);
    expect(publishedDocument()).toBe(presentDocument());
  });
});
