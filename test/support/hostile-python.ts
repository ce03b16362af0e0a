import type { Random } from './random.ts';

/** Makes the source of one hostile or broken file; `evil` is a statement that must never run. */
type Kind = (random: Random, evil: string) => string | Buffer;

const SOUND = (evil: string) => `${evil}\n\n@skill(access_level="USER")\ndef greet():\n    """Greet."""\n    ${evil}\n`;

/** Ways in which a file can be hostile or broken, by name. */
const KINDS: Readonly<Record<string, Kind>> = {
  'runs on import': (_random, evil) => SOUND(evil),
  'runs in a decorator': (_random, evil) =>
    `@skill(description=(lambda: exec(${JSON.stringify(evil)}))())\ndef f(): 0\n`,
  'runs in a default': (_random, evil) => `@skill\ndef f(x=exec(${JSON.stringify(evil)})): 0\n`,
  'runs in a class body': (_random, evil) => `class A:\n    ${evil}\n    @skill\n    def f(self): 0\n`,
  'runs in an annotation': (_random, evil) => `@skill\ndef f(x: exec(${JSON.stringify(evil)})): 0\n`,
  'runs in an f-string': (_random, evil) => `x = f"{exec(${JSON.stringify(evil).replaceAll('"', "'")})}"\n`,
  'runs by a coding line': (random, evil) =>
    `# coding: ${random.pick(['utf-7', 'unicode_escape', 'raw_unicode_escape', 'idna', 'punycode'])}\n${evil}\n`,
  'names no real coding': (random, evil) =>
    `# -*- coding: ${random.pick(['rot13', 'zlib', 'base64', 'no-such', '../../etc', 'x'.repeat(5000)])} -*-\n${evil}\n`,
  'nests brackets': (random, evil) =>
    `${evil}\nx = ${random.pick(['(', '[', '{', 'f(', '{1:'])}`.padEnd(200 + random.below(300_000), '('),
  'nests operators': (random, evil) =>
    `${evil}\nx = ${random.pick(['-', '~', 'not ', '+', 'lambda:', 'await ', '*'])}`.repeat(1) +
    random.pick(['-', '~', 'not ', '+']).repeat(1000 + random.below(200_000)) +
    '1\n',
  'chains without end': (random, evil) =>
    `${evil}\nx = a${random.pick(['.a', '[0]', '()', '+1', ' if 1 else 2', '**2', ' and 1'])}`.concat(
      random.pick(['.a', '[0]', '()', '+1', '**2']).repeat(1000 + random.below(100_000)),
    ),
  'nests blocks': (random, evil) =>
    `${Array.from({ length: 20 + random.below(300) }, (_, depth) => `${' '.repeat(depth)}if 1:`).join('\n')}\n${evil}\n`,
  'nests f-strings': (random, evil) => `${evil}\nx = ${'f"{'.repeat(1 + random.below(500))}`,
  'nests decorators': (random, evil) => `${evil}\n${'@skill\n'.repeat(1 + random.below(20_000))}def f(): 0\n`,
  'has a huge line': (random, evil) => `${evil}; x = "${'a'.repeat(500_000 + random.below(400_000))}"\n`,
  'has a huge number': (random, evil) => `${evil}\nx = ${'9'.repeat(5000 + random.below(500_000))}\n`,
  'computes a huge constant': (random, evil) =>
    `${evil}\nx = ${random.pick(['9**9**9**9', '1 << 10**10', '"a" * 10**12', '(1,) * 10**12', '10**-(10**10)'])}\n`,
  'has a huge name': (random, evil) => `${evil}\n@skill\ndef ${'f'.repeat(10_000 + random.below(400_000))}(): 0\n`,
  'has a huge docstring': (random, evil) =>
    `${evil}\n@skill\ndef f():\n    """${'ü'.repeat(10_000 + random.below(300_000))}"""\n`,
  'has many functions': (random, evil) => `${evil}\n${'@skill\ndef f(): 0\n'.repeat(1001 + random.below(3000))}`,
  'has lone surrogates': (_random, evil) => `${evil}\n@skill(description="\\ud800 \\udfff")\ndef f(): 0\n`,
  'has NUL bytes': (random, evil) => `${evil}\n${'\0'.repeat(1 + random.below(5))}\n`,
  'is UTF-16': (_random, evil) => Buffer.from(`\ufeff${SOUND(evil)}`, 'utf16le'),
  'is Latin-1': (_random, evil) => Buffer.from(`# grün\n${SOUND(evil)}`, 'latin1'),
  'is noise': (random) => random.bytes(1 + random.below(5000)),
  'is noise behind a sound beginning': (random, evil) => Buffer.concat([Buffer.from(SOUND(evil)), random.bytes(100)]),
  'is cut off': (random, evil) => SOUND(evil).slice(0, 1 + random.below(SOUND(evil).length)),
  'has one character changed': (random, evil) => {
    const sound = SOUND(evil);
    const at = random.below(sound.length);
    return (
      sound.slice(0, at) +
      random.pick(['(', ')', '"', '\\', '\t', ':', '\r', '\f', '`', '$', '\u00a0']) +
      sound.slice(at + 1)
    );
  },
  'mixes its indentation': (random, evil) =>
    `def f():\n\t${evil}\n${random.pick(['        ', '  ', '\t\t', ' \t'])}${evil}\n`,
  'means nothing': (random, evil) =>
    `${evil}\n${random.pick(['return 1', 'yield', 'break', 'nonlocal x', 'await x', 'from __future__ import x', 'def f(a, a): 0', 'x = *y', 'del f()', '1 = x'])}\n`,
  'is empty or nearly so': (random) => random.pick(['', '\n', '\ufeff', '#', '\\', '\\\n', '\f', '\r', ';', '\x1a']),
};

export interface HostileFile {
  readonly kind: string;
  readonly bytes: Buffer;
}

/** So many files, every kind in turn, the same for the same seed. */
export function hostileFiles(count: number, random: Random, evil: string): HostileFile[] {
  const kinds = Object.entries(KINDS);
  return Array.from({ length: count }, (_, index) => {
    const [kind, make] = kinds[index % kinds.length] ?? random.pick(kinds);
    return { kind, bytes: Buffer.from(make(random, evil) as Buffer) }; // as: Buffer.from takes texts and bytes alike
  });
}
