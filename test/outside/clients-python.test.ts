import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { GENERATOR, generate } from '../support/outside/openapi-generator.ts';
import { appFolder, documentFile, itTellsTheTruth } from '../support/outside/scenario.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { temporaryFolder } from '../support/world.ts';

const tool = (name: string) => join(TOOLS, 'python/bin', name);

/** The app beside the package of its client. */
function placeApp(name: string): string {
  const folder = temporaryFolder(`robot-rest-${name}-`);
  cpSync(appFolder(name), folder, { recursive: true });
  return folder;
}

const run = (folder: string) => (env: Record<string, string>) =>
  runTool(tool('python'), ['app.py'], { cwd: folder, env });
/** Of the app; what generators write is not always strict. */
const checkTypes = (folder: string) =>
  runTool(tool('mypy'), ['--strict', '--follow-imports', 'silent', 'app.py'], { cwd: folder });

describeOutside({ tools: ['python/bin/openapi-python-client'] }, 'Python, openapi-python-client', () => {
  const folder = placeApp('openapi-python-client');
  beforeAll(async () => {
    const options = ['--config', join(folder, 'client.yaml'), '--output-path', folder, '--overwrite'];
    await runTool(tool('openapi-python-client'), ['generate', '--path', documentFile(), ...options]);
    await checkTypes(folder);
  });
  itTellsTheTruth(run(folder));
});

describeOutside({ toolchain: 'java', tools: [GENERATOR, 'python/bin/mypy'] }, 'Python, openapi-generator', () => {
  const folder = placeApp('openapi-generator-python');
  beforeAll(async () => {
    await generate('python', folder, { packageName: 'robot_client' });
    await checkTypes(folder);
  });
  itTellsTheTruth(run(folder));
});
