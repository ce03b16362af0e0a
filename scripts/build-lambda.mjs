/**
 * Bundles the functions that template.yaml deploys: `dist-lambda/<handler>/index.mjs`, each with only the code it
 * needs. `dist-lambda/modules.json` lists how many bytes of each bundle come from which module.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { BUNDLE, ROOT } from './builds.mjs';

const OUT = join(ROOT, 'dist-lambda');
const WORKPLACE = join(ROOT, `dist-lambda.building-${process.pid}`);

/** zod has messages in 50 languages; this service only uses English. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};

/** In the cloud, robots are only reached through their broker, and there is no persistent disk. */
const notInTheCloud = {
  name: 'not-in-the-cloud',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]robot-link[\\/]adapters[\\/]rosbridge[\\/]open\.ts$/ }, () => ({
      contents: `export function openRosbridge() {
        throw new Error('SERVICE_ROBOT_URL: must be an mqtts: URL in the cloud');
      }`,
    }));
    onLoad({ filter: /[\\/]control[\\/]adapters[\\/]kept-numbers\.ts$/ }, () => ({
      contents: `export class KeptNumbers {
        static open() {
          throw new Error('A function in the cloud has no persistent disk');
        }
      }`,
    }));
    onLoad({ filter: /[\\/]runs[\\/]adapters[\\/]sandbox[\\/]open\.ts$/ }, () => ({
      contents: `export function probeSandbox() {
        throw new Error('Skills do not run in the cloud');
      }`,
    }));
    onLoad({ filter: /[\\/]identity[\\/]adapters[\\/]revocations[\\/]files\.ts$/ }, () => ({
      contents: `export function openRevocationFiles() {
        throw new Error('A function in the cloud has no persistent disk');
      }`,
    }));
  },
};

mkdirSync(WORKPLACE);
try {
  const modules = {};
  for (const name of deployed()) modules[name] = await bundle(name);
  writeFileSync(join(WORKPLACE, 'get-openapi', 'openapi.json'), await cloudDocument());
  writeFileSync(join(WORKPLACE, 'modules.json'), `${JSON.stringify(modules, null, 2)}\n`);
  rmSync(OUT, { recursive: true, force: true });
  renameSync(WORKPLACE, OUT);
  process.stdout.write(`Built ${Object.keys(modules).length} functions into ${OUT}.\n`);
} catch (error) {
  if (!('errors' in error)) throw error;
  process.exitCode = 1; // esbuild has already printed its errors
} finally {
  rmSync(WORKPLACE, { recursive: true, force: true });
}

/** Names of the folders that the template deploys. Ignores its intrinsic functions. */
function deployed() {
  const { Resources } = parse(readFileSync(join(ROOT, 'template.yaml'), 'utf8'), { logLevel: 'error' });
  return Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::Serverless::Function')
    .map(({ Properties }) => basename(Properties.CodeUri));
}

/** @returns the bytes that each module contributes to a handler's bundle. */
async function bundle(name) {
  const { metafile } = await build({
    ...BUNDLE,
    entryPoints: [handlerFile(name)],
    outfile: join(WORKPLACE, name, 'index.mjs'),
    target: 'node22',
    metafile: true,
    plugins: [englishOnly, notInTheCloud],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const bytes = Object.entries(inputs).map(([module, { bytesInOutput }]) => [module, bytesInOutput]);
  return Object.fromEntries(bytes.filter(([, count]) => count > 0));
}

function handlerFile(name) {
  const handlers = readdirSync(join(ROOT, 'functions'), { recursive: true });
  const found = handlers.filter((file) => basename(file) === `${name}.handler.ts`);
  if (found.length !== 1)
    throw new Error(`template.yaml: expected one handler named "${name}", found ${found.length}.`);
  return join(ROOT, 'functions', found[0]);
}

/** Generates the OpenAPI document from the route table, which no single function knows. */
async function cloudDocument() {
  const outfile = join(WORKPLACE, 'cloud-document.mjs');
  await build({ ...BUNDLE, entryPoints: [join(ROOT, 'scripts', 'cloud-document.ts')], outfile });
  const { cloudDocument } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return cloudDocument;
}
