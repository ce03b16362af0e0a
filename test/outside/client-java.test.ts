import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { GENERATOR, generate } from '../support/outside/openapi-generator.ts';
import { appFolder, itTellsTheTruth } from '../support/outside/scenario.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { temporaryFolder } from '../support/world.ts';

describeOutside({ toolchain: 'javac', tools: [GENERATOR, 'java/lib'] }, 'Java, openapi-generator', () => {
  const folder = temporaryFolder('robot-rest-java-');
  const classes = join(folder, 'classes');
  const libraries = join(TOOLS, 'java/lib/*');

  beforeAll(async () => {
    const options = {
      library: 'native',
      disallowAdditionalPropertiesIfNotPresent: 'false',
      openApiNullable: 'false',
      invokerPackage: 'robot',
      apiPackage: 'robot.api',
      modelPackage: 'robot.model',
    };
    // The getter of a column `class_` would be getClass().
    await generate('java', folder, options, ['--name-mappings', 'class_=runeClass']);
    const sources = readdirSync(join(folder, 'src/main/java'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.java'))
      .map((name) => join(folder, 'src/main/java', name));
    const app = join(appFolder('java'), 'App.java');
    await runTool('javac', ['-proc:none', '-nowarn', '-d', classes, '-cp', libraries, app, ...sources]);
  });
  itTellsTheTruth((env) => runTool('java', ['-cp', `${classes}:${libraries}`, 'App'], { env }));
});
