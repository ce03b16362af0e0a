import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { assertArguments, assertMayRun } from '../../../../functions/shared/runs/run-request.ts';

const f = {
  skill: 'greet',
  name: 'greet',
  args: {
    type: 'object',
    properties: {
      times: { type: 'integer' },
      speed: { type: 'number', default: 1 },
      who: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      way: { enum: ['wave', 'nod'], default: 'wave' },
      loud: { type: 'boolean', default: false },
      anything: {},
    },
    required: ['times', 'anything'],
    additionalProperties: false,
  },
};

function pointersOf(args: Parameters<typeof assertArguments>[1], root = 'args') {
  try {
    assertArguments(f, args, root);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.errors?.map(({ pointer }) => pointer);
  }
}

describe('arguments of a run', () => {
  it.each([
    ['all that is required', { times: 1, anything: null }],
    ['an int for a float', { times: 1, anything: [], speed: 2 }],
    ['null for an Optional', { times: 1, anything: {}, who: null }],
    ['a value of a Literal', { times: 1, anything: 'x', way: 'nod' }],
  ])('may be %s', (_what, args) => {
    expect(pointersOf(args)).toEqual([]);
  });

  it.each([
    ['a missing one', { anything: 1 }, ['/args/times']],
    ['a float for an int', { times: 1.5, anything: 1 }, ['/args/times']],
    ['a bool for a number', { times: true, anything: 1 }, ['/args/times']],
    ['a bool for a float', { times: 1, anything: 1, speed: true }, ['/args/speed']],
    ['an unknown name', { times: 1, anything: 1, 'a/b': 2 }, ['/args/a~1b']],
    ['none of a Literal', { times: 1, anything: 1, way: 'jump' }, ['/args/way']],
  ])('may not be %s', (_what, args, pointers) => {
    expect(pointersOf(args)).toEqual(pointers);
  });

  it('are named as they stand in the request', () => {
    expect(pointersOf({ anything: 1 }, 'value')).toEqual(['/value/times']);
  });
});

describe('the level of a function', () => {
  it.each([
    [undefined, 'USER', true],
    ['USER', 'USER', true],
    ['ADMIN', 'USER', false],
    ['ADMIN', 'ADMIN', true],
    ['ENCHANTER', 'ADMIN', false],
    ['anything else', 'ADMIN', false],
    ['anything else', 'ENCHANTER', true],
  ] as const)('%s is met by %s: %s', (accessLevel, level, allowed) => {
    const check = () => assertMayRun({ ...f, accessLevel }, level);
    if (allowed) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'insufficient_access' }));
  });
});
