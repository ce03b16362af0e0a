import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { quoteWord, quoteWords } from '../../../../functions/system/services/adapters/quote.ts';

const SHELLS = ['/bin/sh', '/bin/bash'];

/** What the shell makes of the words, asked of the shell itself. */
function shellSees(shell: string, words: readonly string[]): string[] {
  const { stdout } = spawnSync(shell, ['-c', `${quoteWords(['printf', '%s\\0', ...words])}`], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

describe.each(SHELLS)('Words quoted for %s', (shell) => {
  it('arrive unchanged', () => {
    const words = ["it's", "'", "''", '$(id)', '`id`', 'a;id', '*', '', ' two  words ', '\\', '\\n', 'line\nfeed', '"'];
    expect(shellSees(shell, words)).toEqual(words);
  });

  it('arrive unchanged, whatever they contain', () => {
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), (words) => {
        expect(shellSees(shell, words)).toEqual(words);
      }),
      { numRuns: 20 },
    );
  });
});

it('A word with NUL is refused', () => {
  expect(() => quoteWord('a\0b')).toThrow(TypeError);
});
