import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runNode } from '../support/run-node.ts';
import { ROOT } from '../support/sources.ts';

const CLIENT = join(ROOT, 'clients/typescript');

describe('The sources of robot-rest-client', () => {
  it('have the types of the present OpenAPI document: otherwise run `npm run client:types`', async () => {
    const script = join(ROOT, 'scripts/typescript-client-types.ts');
    const present = await runNode(['--import', 'tsx', script, '--print'], ROOT);
    expect(present === readFileSync(join(CLIENT, 'src/openapi.ts'), 'utf8')).toBe(true);
  });

  it('have at most 250 lines a file, but for the generated one', () => {
    const files = readdirSync(join(CLIENT, 'src')).filter((name) => name !== 'openapi.ts');
    expect(files.length).toBeGreaterThan(10);
    const long = files.filter((name) => readFileSync(join(CLIENT, 'src', name), 'utf8').split('\n').length > 251);
    expect(long).toEqual([]);
  });
});
