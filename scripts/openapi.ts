import { readFileSync, writeFileSync } from 'node:fs';
import { createApiDocument } from '../local-host/openapi/openapi.ts';
import { ROUTES } from '../local-host/routes.ts';
import { type Change, changesBetween, type Node } from './openapi-changes.ts';

/** The document as the last change on purpose left it; what clients are generated from. */
export const PUBLISHED = new URL('../docs/openapi.json', import.meta.url);

/** The document of today's sources, which have no version of their own. */
export function presentDocument(): string {
  return `${JSON.stringify(createApiDocument(ROUTES), null, 1)}\n`;
}

export function publishedDocument(): string {
  return readFileSync(PUBLISHED, 'utf8');
}

/** From the published document to this one. */
export function changesSincePublished(present = presentDocument()): Change[] {
  const parse = (text: string) => JSON.parse(text) as Node; // as: a document is an object
  return changesBetween(parse(publishedDocument()), parse(present));
}

function main(args: readonly string[]): void {
  const present = presentDocument();
  const changes = changesSincePublished(present);
  for (const { breaking, where, what } of changes)
    process.stdout.write(`${breaking ? 'BREAKING' : 'additive'}  ${where} ${what}\n`);
  if (changes.some(({ breaking }) => breaking) && !args.includes('--breaking')) {
    process.stderr.write('Breaking changes: nothing written. Pass --breaking when clients shall have to change.\n');
    process.exitCode = 1;
  } else writeFileSync(PUBLISHED, present);
}

if (process.argv[1]?.endsWith('openapi.ts')) main(process.argv.slice(2));
