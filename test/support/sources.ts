import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the project. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export interface Source {
  /** Path from the root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** What it imports: paths from the root for our own files, bare names for packages. */
  readonly imports: readonly string[];
}

/** Pure functions of a system module: to tell an IP address is to speak to nobody. */
const PURE = /^import \{ isIP(v4|v6)? \} from 'node:net';$/gm;
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'([^']+)'/g;

/** Every TypeScript file below a folder of the project. */
export function sourcesOf(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const imports = [...text.replace(PURE, '').matchAll(IMPORT)].map(([, target = '']) =>
        target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
      );
      return { path, text, imports };
    });
}

/** The cells of the Markdown table under a heading, without its head. Back-ticks are taken off the first cell. */
export function markdownTable(file: string, heading: string): string[][] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const section = text.split(new RegExp(`^#+ ${heading}$`, 'm'))[1]?.split(/^#+ /m)[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
