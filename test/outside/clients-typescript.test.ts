import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { appFolder, documentFile, itTellsTheTruth } from '../support/outside/scenario.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const MODULES = join(TOOLS, 'node/node_modules');
const tool = (name: string) => join(MODULES, '.bin', name);

const STRICT = [
  '--noEmit',
  '--strict',
  '--noUncheckedIndexedAccess',
  '--noImplicitOverride',
  '--allowImportingTsExtensions',
  '--skipLibCheck',
  ...['--target', 'ES2023', '--types', 'node'],
];

/** The app in a folder of its own, beside a generated client. */
function placeApp(name: string): string {
  const folder = temporaryFolder(`robot-rest-${name}-`);
  cpSync(appFolder(name), folder, { recursive: true });
  cpSync(appFolder('module.json'), join(folder, 'package.json'));
  symlinkSync(MODULES, join(folder, 'node_modules'));
  return folder;
}

const run = (folder: string) => (env: Record<string, string>) =>
  runTool(process.execPath, ['--import', join(ROOT, 'node_modules/tsx/dist/loader.mjs'), 'app.ts'], {
    cwd: folder,
    env,
  });

describeOutside({ tools: ['node/node_modules/.bin/openapi-typescript'] }, 'TypeScript, openapi-typescript', () => {
  const folder = placeApp('openapi-typescript');
  beforeAll(async () => {
    await runTool(tool('openapi-typescript'), [documentFile(), '--output', join(folder, 'robot.ts')]);
    await runTool(tool('tsc'), [...STRICT, '--exactOptionalPropertyTypes', '--module', 'NodeNext', 'app.ts'], {
      cwd: folder,
    });
  });
  itTellsTheTruth(run(folder));
});

describeOutside({ tools: ['node/node_modules/.bin/openapi-ts'] }, 'TypeScript, @hey-api/openapi-ts', () => {
  const folder = placeApp('hey-api');
  beforeAll(async () => {
    const output = join(folder, 'robot');
    await runTool(tool('openapi-ts'), ['--input', documentFile(), '--output', output, '--no-log-file'], {
      cwd: folder,
    });
    // It writes imports without extensions, for a bundler.
    const bundled = ['--module', 'ESNext', '--moduleResolution', 'Bundler'];
    await runTool(tool('tsc'), [...STRICT, ...bundled, 'app.ts'], { cwd: folder });
  });
  itTellsTheTruth(run(folder));
});
