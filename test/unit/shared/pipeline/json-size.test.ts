import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonSizeFault, MAX_MEMBERS } from '../../../../functions/shared/pipeline/plain-json.ts';

const list = (length: number, member = '1') => `[${Array(length).fill(member).join(', ')}]`;
const object = (length: number) => `{${Array.from({ length }, (_, index) => `"k${index}":1`).join(',')}}`;

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return members.reduce((sum: number, member) => sum + membersOf(member), members.length);
}

describe('The size of a JSON text', () => {
  it.each([
    ['a list of the most members', list(MAX_MEMBERS)],
    ['an object of the most members', object(MAX_MEMBERS)],
    ['commas and brackets in a string', `["${',[{'.repeat(MAX_MEMBERS)}"]`],
    ['escaped quotes', `["${'\\",'.repeat(MAX_MEMBERS)}"]`],
    ['empty lists, which have no members of their own', list(MAX_MEMBERS, '[ ]')],
    ['the deepest nesting', '['.repeat(64) + ']'.repeat(64)],
  ])('lets %s pass', (_what, text) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(jsonSizeFault(text)).toBeUndefined();
  });

  it.each([
    ['a list', list(MAX_MEMBERS + 1)],
    ['an object', object(MAX_MEMBERS + 1)],
    ['lists in a list', list(MAX_MEMBERS / 2 + 1, '[1]')],
  ])('gives advice for %s with too many members', (_what, text) => {
    expect(jsonSizeFault(text)).toEqual({
      pointer: '',
      message: expect.stringContaining('at most 10000 members together. Send them in several requests.'),
    });
  });

  it('gives advice for nesting that is too deep', () => {
    for (const depth of [65, 500_000]) expect(jsonSizeFault('['.repeat(depth))?.message).toContain('64 levels');
  });

  it('counts exactly the members that the parser makes', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(20), (text, missing) => {
        const filler = MAX_MEMBERS - membersOf(JSON.parse(text)) - 1;
        expect(jsonSizeFault(`[${text}${',1'.repeat(filler)}]`)).toBeUndefined();
        expect(jsonSizeFault(`[${text}${',1'.repeat(filler + 1 + missing)}]`)).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });
});
