import { expect, it } from '@jest/globals';
import { openPythonParser } from '../../functions/system/skills/adapters/python/open.ts';
import { describeWith } from '../support/components.ts';
import { PYTHON } from '../support/skill-service.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const signal = new AbortController().signal;
const parser = openPythonParser(testConfig({ SERVICE_SKILL_PYTHON: PYTHON }), silentLogger);
const parse = (source: string) => parser.parse(Buffer.from(source), signal);

/** JSON Schema of the arguments of a skill with these parameters, behind the robot. */
async function argsOf(parameters: string) {
  const verdict = await parse(`@skill\nasync def f(robot, ${parameters}): pass`);
  return verdict.kind === 'valid' ? verdict.functions[0]?.args : verdict;
}

describeWith('Python 3', PYTHON, 'The arguments of a skill', () => {
  it.each([
    ['int', { type: 'integer' }],
    ['float', { type: 'number' }],
    ['str', { type: 'string' }],
    ['bool', { type: 'boolean' }],
    ['list', { type: 'array' }],
    ['list[int]', { type: 'array', items: { type: 'integer' } }],
    ['typing.List[str]', { type: 'array', items: { type: 'string' } }],
    ['dict', { type: 'object' }],
    ['Dict[str, float]', { type: 'object', additionalProperties: { type: 'number' } }],
    ['Optional[int]', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['int | None', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['"int | str"', { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['Union[int, str]', { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['Literal["a", 1, None]', { enum: ['a', 1, null] }],
    ['Annotated[int, "m"]', { type: 'integer' }],
    ['Pose', {}],
    ['int | Pose', {}],
    ['f(x)', {}],
    ['"not ( valid"', {}],
  ])('annotated as %s are %j', async (annotation, schema) => {
    expect(await argsOf(`x: ${annotation}`)).toEqual({
      type: 'object',
      properties: { x: schema },
      required: ['x'],
      additionalProperties: false,
    });
  });

  it('are required without a default, which is shown if it is a literal', async () => {
    expect(await argsOf('a, b=1, *, c, d="x", e=g(), h: int = -2, i=1e400')).toEqual({
      type: 'object',
      properties: {
        a: {},
        b: { default: 1 },
        c: {},
        d: { default: 'x' },
        e: {},
        h: { type: 'integer', default: -2 },
        i: {},
      },
      required: ['a', 'c'],
      additionalProperties: false,
    });
  });

  it.each(['*a', '**a', 'a, *b, c'])('are refused as %s', async (parameters) => {
    expect(await argsOf(parameters)).toMatchObject({ kind: 'invalid', line: 2, message: expect.stringMatching(/^f /) });
  });

  it('are left out for what cannot be run: methods, and functions in functions', async () => {
    const verdict = await parse(
      'class A:\n  @skill\n  def a(self): 0\ndef g():\n  @skill\n  def b(r): 0\nif 1:\n  @skill\n  def c(r): 0',
    );
    const found = verdict.kind === 'valid' && verdict.functions.map(({ name, args }) => [name, args !== undefined]);
    expect(found).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ]);
  });
});
