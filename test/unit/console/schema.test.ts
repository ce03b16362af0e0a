import { describe, expect, it } from '@jest/globals';
import type { Command } from '../../../clients/typescript/src/index.ts';
import { fieldsOf, typedOf, valueIn } from '../../../console/src/ui/schema.ts';

function command(more: Partial<Command>): Command {
  return { name: 'c', title: 'C', kind: 'dict', effect: 'action', ...more } as Command; // as: what is not named does not matter
}

const POSE = command({ kind: 'coordinates' });
const GRIP = command({
  args: {
    type: 'object',
    required: ['force'],
    properties: {
      force: { type: 'number', minimum: 0, maximum: 40, 'x-unit': 'N', title: 'Force' },
      hand: { enum: ['left', 'right', 3] },
      slow: { type: 'boolean' },
      times: { type: 'integer' },
      fingers: { type: 'array', items: { type: 'integer' } },
      more: { type: 'object' },
    },
  },
});

describe('The form of a command', () => {
  it('has a field for each member of an object, as its schema says', () => {
    expect(fieldsOf(GRIP).map(({ name, kind }) => [name, kind])).toEqual([
      ['force', 'number'],
      ['hand', 'choice'],
      ['slow', 'yes-no'],
      ['times', 'integer'],
      ['fingers', 'lines'],
      ['more', 'json'],
    ]);
    expect(fieldsOf(GRIP)[0]).toMatchObject({ title: 'Force', unit: 'N', isNeeded: true, minimum: 0, maximum: 40 });
  });

  it.each<[Partial<Command>, string[]]>([
    [{ kind: 'none' }, []],
    [{ kind: 'str' }, ['text']],
    [{ kind: 'int', bounds: { minimum: 1 } }, ['integer']],
    [{ kind: 'bool' }, ['yes-no']],
    [{ kind: 'list' }, ['json']],
    [{ kind: 'list', items: 'str' }, ['lines']],
    [{ kind: 'coordinates' }, ['number', 'number', 'number', 'number']],
    [{ kind: 'dict', args: { type: ['object', 'null'] } }, ['json']],
    [{ kind: 'dict', args: { type: 'object', properties: { x: true } } }, ['json']],
  ])('of %j has the fields %j', (given, kinds) => {
    expect(fieldsOf(command(given)).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('gives what was typed as a value, and leaves out what was not', () => {
    const typed = { force: '2.5', hand: '2', slow: 'false', times: '', fingers: '1\n\n2', more: '{"a":[null]}' };
    expect(valueIn(fieldsOf(GRIP), typed)).toEqual({
      force: 2.5,
      hand: 3,
      slow: false,
      fingers: [1, 2],
      more: { a: [null] },
    });
    expect(valueIn(fieldsOf(POSE), { x: '1' })).toEqual({ x: 1 });
    expect(valueIn(fieldsOf(command({ kind: 'str' })), {})).toBe('');
    expect(valueIn([], {})).toBeUndefined();
  });

  it.each([
    [{ force: '' }, 'Force is needed.'],
    [{ force: 'fast' }, 'Force: a number is needed.'],
    [{ force: '1', fingers: '1\nx' }, 'fingers: a number is needed.'],
    [{ force: '1', more: '{' }, 'This is not JSON.'],
  ])('refuses %j: %s', (typed, sentence) => {
    expect(() => valueIn(fieldsOf(GRIP), typed)).toThrow(sentence);
  });

  it('shows an example as it would be typed', () => {
    const value = { force: 3, hand: 'right', slow: true, fingers: [1, 2], more: { a: 1 } };
    const typed = typedOf(fieldsOf(GRIP), value);
    expect(typed).toEqual({ force: '3', hand: '1', slow: 'true', times: '', fingers: '1\n2', more: '{"a":1}' });
    expect(valueIn(fieldsOf(GRIP), typed)).toEqual(value);
  });
});
