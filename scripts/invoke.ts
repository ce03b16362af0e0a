/**
 * Runs a single handler as an isolated Lambda function: `npm run invoke -- <handler> <event.json>`.
 *
 * `<handler>` is a path (`functions/system/status/get-status.handler.ts`) or its short name (`get-status`). The event
 * is an API Gateway event (payload version 2.0) or its short form: `{method, path, headers, query, params, body}`. The
 * response is printed to stdout as JSON, after any log lines. As in the cloud, API keys come from SERVICE_API_KEYS and
 * not from a file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Endpoint } from '../functions/shared/pipeline/endpoint.ts';
import { completeEvent } from './lambda-event.ts';
import { runAsLambda } from './run-as-lambda.ts';

const FUNCTIONS = join(dirname(dirname(fileURLToPath(import.meta.url))), 'functions');
const SUFFIX = '.handler.ts';

async function main([name, eventFile]: readonly string[]): Promise<string> {
  if (name === undefined || eventFile === undefined) throw new Error('Usage: npm run invoke -- <handler> <event.json>');
  const event = completeEvent(JSON.parse(readFileSync(eventFile, 'utf8')));
  const module = (await import(pathToFileURL(handlerFile(name)).href)) as { handler: Endpoint }; // as: every *.handler.ts exports one
  const { body, ...answer } = await runAsLambda(module.handler, event, { SERVICE_LOG_LEVEL: 'error' });
  const json = /json/.test(answer.headers['content-type'] ?? '') && body !== '';
  return JSON.stringify({ ...answer, body: json ? JSON.parse(body) : body }, null, 2);
}

/** The file of a handler, from its path or its short name. */
function handlerFile(name: string): string {
  if (existsSync(name)) return resolve(name);
  const all = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(SUFFIX));
  const found = all.filter((file) => basename(file, SUFFIX) === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return join(FUNCTIONS, only);
  const known = (found.length === 0 ? all.map((file) => basename(file, SUFFIX)) : found).sort().join(', ');
  throw new Error(`${found.length === 0 ? 'No' : 'More than one'} handler named "${name}": ${known}`);
}

// A real function is frozen once it has responded; open handles must not keep this process alive.
main(process.argv.slice(2)).then(
  (text) => process.stdout.write(`${text}\n`, () => process.exit(0)),
  (error: unknown) =>
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1)),
);
