import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { GENERATOR, generate } from '../support/outside/openapi-generator.ts';
import { appFolder, itTellsTheTruth } from '../support/outside/scenario.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { temporaryFolder } from '../support/world.ts';

describeOutside({ toolchain: 'cargo', tools: [GENERATOR, 'rust/target/debug'] }, 'Rust, openapi-generator', () => {
  const folder = temporaryFolder('robot-rest-rust-');
  // Its dependencies are compiled there already.
  const env = { CARGO_TARGET_DIR: join(TOOLS, 'rust/target') };

  beforeAll(async () => {
    const options = {
      packageName: 'robot-client',
      library: 'reqwest',
      supportAsync: 'false',
      preferUnsignedInt: 'false',
    };
    // Its templates give a request body of bytes the type of a path, which does not compile.
    await generate('rust', folder, options, [], ['uploadBackup', 'uploadMesh', 'restoreRobot']);
    for (const name of ['Cargo.toml', 'Cargo.lock']) cpSync(join(appFolder('rust'), name), join(folder, name));
    cpSync(join(appFolder('rust'), 'main.rs'), join(folder, 'src/main.rs'));
    await runTool('cargo', ['build', '--offline', '--locked'], { cwd: folder, env });
    cpSync(join(env.CARGO_TARGET_DIR, 'debug/robot-client'), join(folder, 'app'));
  });
  itTellsTheTruth((environment) => runTool(join(folder, 'app'), [], { env: environment }));
});
