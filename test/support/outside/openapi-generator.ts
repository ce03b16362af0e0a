import { join } from 'node:path';
import { documentFile } from './scenario.ts';
import { runTool, TOOLS } from './tools.ts';

/** Below {@link TOOLS}. */
export const GENERATOR = 'java/openapi-generator-cli-7.14.0.jar';

/** Has OpenAPI Generator write a client; `options` are its additional properties, `more` other arguments. */
export async function generate(
  language: 'go' | 'java' | 'python' | 'rust',
  folder: string,
  options: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<void> {
  const properties = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  const args = ['generate', '-g', language, '-i', documentFile(), '-o', folder, ...more];
  await runTool('java', [
    ...['-jar', join(TOOLS, GENERATOR), ...args],
    ...['--additional-properties', properties.join(',')],
  ]);
}
