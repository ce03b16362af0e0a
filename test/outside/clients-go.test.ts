import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { GENERATOR, generate } from '../support/outside/openapi-generator.ts';
import { appFolder, documentFile, itTellsTheTruth } from '../support/outside/scenario.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { temporaryFolder } from '../support/world.ts';

/** Modules come from what test/setup-components.sh has loaded. */
const env = { GOFLAGS: '-mod=readonly', GOPROXY: 'off' };

/** The app as a module of its own, with its client in the package `robot`. */
function placeApp(name: string): string {
  const folder = temporaryFolder(`robot-rest-${name}-`);
  cpSync(appFolder(name), folder, { recursive: true });
  mkdirSync(join(folder, 'robot'));
  return folder;
}

const build = (folder: string) => runTool('go', ['build', '-o', 'app', '.'], { cwd: folder, env });
const run = (folder: string) => (environment: Record<string, string>) =>
  runTool(join(folder, 'app'), [], { env: environment });

describeOutside({ toolchain: 'go', tools: ['go/bin/oapi-codegen'] }, 'Go, oapi-codegen', () => {
  const folder = placeApp('oapi-codegen');
  beforeAll(async () => {
    await runTool(join(TOOLS, 'go/bin/oapi-codegen'), ['-config', 'codegen.yaml', documentFile()], { cwd: folder });
    await build(folder);
  });
  itTellsTheTruth(run(folder));
});

describeOutside({ toolchain: 'go', tools: [GENERATOR] }, 'Go, openapi-generator', () => {
  const folder = placeApp('openapi-generator-go');
  beforeAll(async () => {
    await generate('go', join(folder, 'robot'), {
      packageName: 'robot',
      disallowAdditionalPropertiesIfNotPresent: 'false',
      enumClassPrefix: 'true',
      withGoMod: 'false',
    });
    await build(folder);
  });
  itTellsTheTruth(run(folder));
});
