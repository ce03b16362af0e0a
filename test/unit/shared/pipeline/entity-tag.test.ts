import { describe, expect, it } from '@jest/globals';
import { namesTag } from '../../../../functions/shared/pipeline/entity-tag.ts';

describe('If-None-Match', () => {
  it.each(['"a"', '*', ' * ', 'W/"a"', '"x", "a"', '"x","a","y"', '"x", W/"a"'])('%s names "a"', (header) => {
    expect(namesTag(header, '"a"')).toBe(true);
  });

  it.each([undefined, '', 'a', '"b"', '"A"', '"aa"', '"x", "y"', '"x*"'])('%s does not name "a"', (header) => {
    expect(namesTag(header, '"a"')).toBe(false);
  });

  it('compares weakly', () => {
    expect(namesTag('"a"', 'W/"a"')).toBe(true);
  });
});
