import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

/** What a document has people type in one place. */
export interface Typed {
  readonly where: 'on the robot' | 'on your own machine';
  readonly script: string;
}

const PLACE = /^# (on the robot|on your own machine)\b.*$/m;

/**
 * What a document, or a section of it, has people type, in its order: on their own machine unless a comment says
 * otherwise. @throws when it has no such section.
 */
export function typedIn(document: string, heading?: string): Typed[] {
  const text = readFileSync(join(ROOT, 'docs', document), 'utf8');
  const isIt = (part: string) => part.startsWith(`${heading}\n`);
  const section = heading === undefined ? text : text.split(/^## /m).find(isIt);
  if (section === undefined) throw new Error(`${document} has no section "${heading}"`);
  const blocks = [...section.matchAll(/^( *)```(?:ba)?sh\n(.*?)^ *```$/gms)];
  return blocks.flatMap(([, indent = '', block = '']) => piecesOf(block.replaceAll(RegExp(`^${indent}`, 'gm'), '')));
}

function piecesOf(block: string): Typed[] {
  const parts = block.split(PLACE); // the text before the first place, a place, its text, …
  const pieces = [{ where: 'on your own machine', script: parts[0] ?? '' } as Typed]; // as: its type has two strings
  for (let index = 1; index < parts.length; index += 2) {
    pieces.push({ where: parts[index] as Typed['where'], script: parts[index + 1] ?? '' }); // as: the pattern has both
  }
  return pieces.filter(({ script }) => script.trim() !== '');
}

/** The script with other values in place of those of the document. @throws when the document no longer has one. */
export function fill(script: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the document does not say ${from}: ${script}`);
    return text.replaceAll(from, to);
  }, script);
}
