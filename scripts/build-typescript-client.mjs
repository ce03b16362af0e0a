/**
 * Builds the npm package of the TypeScript client into clients/typescript/dist, or the folder that is given: one module
 * for browsers and Node, and its types. `npm pack` makes an archive of it; nothing is published from here.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { ROOT, VERSION } from './builds.mjs';

const SOURCE = join(ROOT, 'clients/typescript');
const target = resolve(process.argv[2] ?? join(SOURCE, 'dist'));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await build({
  absWorkingDir: SOURCE,
  entryPoints: ['src/index.ts'],
  outfile: join(target, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: ['es2022'],
  logLevel: 'warning',
});
execFileSync(process.execPath, [tsc, '-p', SOURCE, '--outDir', target], { stdio: 'inherit' });
const { license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const about = {
  name: 'robot-rest-client',
  version: VERSION,
  description: 'Controls a robot that runs Robot REST, from browsers and Node.',
  license,
  type: 'module',
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  engines,
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
copyFileSync(join(SOURCE, 'README.md'), join(target, 'README.md'));
process.stdout.write(`Built robot-rest-client ${VERSION} into ${target}.\n`);
