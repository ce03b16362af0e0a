import { describe, expect, it } from '@jest/globals';
import { fileNameOf, parseSkillName, skillOfFile } from '../../../../functions/system/skills/skill-name.ts';

describe('A skill name', () => {
  it.each([
    ['greet', 'greet', false],
    ['greet.py', 'greet', false],
    ['disabled.greet', 'greet', true],
    ['disabled.greet.py', 'greet', true],
    ['_private', '_private', false],
    ['9-lives_2.py', '9-lives_2', false],
    ['disabledgreet.py', 'disabledgreet', false],
    ['py.py', 'py', false],
    ['py', 'py', false],
    ['CON', 'CON', false],
    ['a'.repeat(100), 'a'.repeat(100), false],
  ])('%s names the skill %s (disabled: %s)', (text, stem, disabled) => {
    expect(parseSkillName(text)).toEqual({ stem, disabled });
  });

  it.each([
    ['nothing', ''],
    ['only the suffix', '.py'],
    ['only the prefix', 'disabled.'],
    ['prefix and suffix alone', 'disabled..py'],
    ['the reserved stem', 'disabled'],
    ['the reserved stem with suffix', 'disabled.py'],
    ['the reserved stem with prefix', 'disabled.disabled.py'],
    ['two prefixes', 'disabled.disabled.x.py'],
    ['two suffixes', 'x.py.py'],
    ['another case of the prefix', 'Disabled.x.py'],
    ['another case of the suffix', 'x.PY'],
    ['another suffix', 'x.txt'],
    ['a suffix of bytecode', 'x.pyc'],
    ['a way up', '../x.py'],
    ['a way up behind the prefix', 'disabled.../x.py'],
    ['a way up without a name', '..'],
    ['the folder itself', '.'],
    ['an absolute path', '/etc/cron.d/x.py'],
    ['a folder', 'a/x.py'],
    ['a Windows path', 'C:\\x.py'],
    ['a backslash', '..\\x.py'],
    ['an encoded way up', '..%2fx.py'],
    ['a NUL', 'x\0.py'],
    ['a NUL before the suffix', 'x.py\0.txt'],
    ['a line break', 'x\n.py'],
    ['a line break at the end', 'x.py\n'],
    ['a blank', 'a b.py'],
    ['a blank at the end', 'x.py '],
    ['a hidden name', '.x.py'],
    ['a leading hyphen, which is an option to a program', '-rf.py'],
    ['a Cyrillic look-alike', 'gr\u0435et.py'],
    ['a full-width letter', '\uff47reet.py'],
    ['a full-width full stop', 'x\uff0epy'],
    ['a division slash', 'a\u2215x.py'],
    ['a zero-width blank', 'gre\u200bet.py'],
    ['a right-to-left override', 'x\u202eyp.py'],
    ['a combining accent', 'cafe\u0301.py'],
    ['an umlaut', 'grün.py'],
    ['a lone surrogate', 'x\ud800.py'],
    ['a shell word', '$(id).py'],
    ['a glob', '*.py'],
    ['a quote', '"x".py'],
    ['101 characters', `${'a'.repeat(101)}.py`],
    ['300 characters', `${'a'.repeat(300)}.py`],
    ['a prototype member with dots', '__proto__.x'],
  ])('is refused: %s', (_what, text) => {
    expect(parseSkillName(text)).toBeUndefined();
  });

  it('leads to one file name for each state', () => {
    expect([fileNameOf('x', true), fileNameOf('x', false)]).toEqual(['x.py', 'disabled.x.py']);
  });
});

describe('A file in the folder', () => {
  it.each([
    ['x.py', { stem: 'x', disabled: false }],
    ['disabled.x.py', { stem: 'x', disabled: true }],
    ['x', undefined],
    ['disabled.x', undefined],
    ['disabled.py', undefined],
    ['x.txt', undefined],
    ['x.py~', undefined],
  ])('%s is the skill %j', (fileName, name) => {
    expect(skillOfFile(fileName)).toEqual(name);
  });
});
