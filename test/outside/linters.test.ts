import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { documentFile } from '../support/outside/scenario.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { ROOT } from '../support/sources.ts';

const rules = (name: string) => join(ROOT, 'test/outside', name);
const tool = (name: string) => join(TOOLS, 'node/node_modules/.bin', name);

interface Found {
  readonly severity: string | number;
}

describeOutside({ tools: ['node/node_modules/.bin/redocly'] }, 'Redocly', () => {
  it('finds no error in the document', async () => {
    const args = [
      'lint',
      documentFile(),
      '--config',
      rules('redocly.yaml'),
      '--format',
      'json',
      '--max-problems',
      '1000',
    ];
    const { problems } = JSON.parse(await runTool(tool('redocly'), args, { env: { REDOCLY_TELEMETRY: 'off' } }));
    expect(problems.filter(({ severity }: Found) => severity === 'error')).toEqual([]);
    // The models of what the document cannot type are used by people.
    expect(new Set(problems.map(({ ruleId }: { ruleId: string }) => ruleId))).toEqual(
      new Set(['no-unused-components']),
    );
  });
});

describeOutside({ tools: ['node/node_modules/.bin/spectral'] }, 'Spectral', () => {
  it('finds no error in the document', async () => {
    const args = ['lint', documentFile(), '--ruleset', rules('spectral.yaml'), '--format', 'json', '--quiet'];
    const found: Found[] = JSON.parse(await runTool(tool('spectral'), args));
    expect(found.filter(({ severity }) => severity === 0)).toEqual([]);
  });
});
