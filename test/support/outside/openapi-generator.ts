import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../world.ts';
import { documentFile } from './scenario.ts';
import { runTool, TOOLS } from './tools.ts';

/** Below {@link TOOLS}. */
export const GENERATOR = 'java/openapi-generator-cli-7.14.0.jar';

interface Operation {
  readonly operationId?: string;
}

/** Has OpenAPI Generator write a client; `options` are its additional properties, `more` other arguments. */
export async function generate(
  language: 'go' | 'java' | 'python' | 'rust',
  folder: string,
  options: Readonly<Record<string, string>>,
  more: readonly string[] = [],
  without: readonly string[] = [],
): Promise<void> {
  const properties = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const args = ['generate', '-g', language, '-i', documentWithout(without), '-o', folder, ...more];
  await runTool('java', [
    ...['-jar', join(TOOLS, GENERATOR), ...args],
    ...['--additional-properties', properties.join(',')],
  ]);
}

/** The document without the operations that a generator has no code for. */
function documentWithout(operationIds: readonly string[]): string {
  if (operationIds.length === 0) return documentFile();
  const document = JSON.parse(readFileSync(documentFile(), 'utf8'));
  for (const operations of Object.values<Record<string, Operation>>(document.paths)) {
    for (const [method, { operationId }] of Object.entries(operations)) {
      if (operationIds.includes(operationId ?? '')) delete operations[method];
    }
  }
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, JSON.stringify(document));
  return path;
}
