import { parseArgs } from 'node:util';
import type { RingEntry } from '../../functions/shared/adapters/signing-keys/key-ring.ts';
import { rotate, rotateNow, showKeys } from '../../functions/shared/adapters/signing-keys/rotate.ts';
import { type Config, loadConfig } from '../../functions/shared/config.ts';
import { recordCommand } from './audit.ts';
import { CommandError, naming, outcome, runAsEntry, UsageError } from './entry.ts';

const USAGE = `Usage:
  npm run --silent jwt-key -- show
  npm run --silent jwt-key -- rotate         publish a new key now, sign with it in 75 minutes
  npm run --silent jwt-key -- rotate --now   a key has leaked: replace it at once`;

/** Shows and rotates the keys that sign the tokens. Never prints a private key. */
export function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return outcome(USAGE, async () => {
    const [action, ...args] = argv;
    if (action !== 'show' && action !== 'rotate') {
      throw new UsageError(action === undefined ? 'Say what to do.' : `There is no "${action}".`);
    }
    const options = action === 'rotate' ? ({ now: { type: 'boolean' } } as const) : {};
    const { values } = parseArgs({ args, options });
    const { config } = loadConfig(environment);
    const path = keyFileOf(config);
    const now = 'now' in values && values.now === true;
    await naming(path, async () => {
      if (action === 'show') print(showKeys(path, Date.now()));
      else if (now) sayReplaced(await rotateNow(path, Date.now()));
      else sayRotated(await rotate(path, Date.now()));
    });
    if (action === 'rotate') await recordCommand(config, 'signing-key.rotate', { now });
  });
}

function keyFileOf(config: Config): string {
  if (config.SERVICE_JWT_EPHEMERAL) {
    throw new CommandError(
      'SERVICE_JWT_EPHEMERAL is set: the signing key lives in the memory of the service and changes when it starts.',
    );
  }
  if (config.SERVICE_JWT_SIGNING_KEY !== undefined) {
    throw new CommandError('The signing key comes from SERVICE_JWT_SIGNING_KEY; rotate it where that is set.');
  }
  return config.SERVICE_JWT_SIGNING_KEY_PATH;
}

function sayRotated(keys: readonly RingEntry[]): void {
  process.stderr.write(
    'The new key is published now and signs later, so that stream servers know it by then. No token dies.\n',
  );
  print(keys);
}

function sayReplaced(keys: readonly RingEntry[]): void {
  process.stderr.write(
    'Every token signed so far is refused from now on: each client has to authenticate again, and streams opened with an old token end. Stream servers refuse the new tokens until they fetch the public keys again, which MediaMTX does within an hour or when it is restarted.\n',
  );
  print(keys);
}

function print(keys: readonly RingEntry[]): void {
  for (const { kid, state, signsFrom, publishedUntil } of keys) {
    const shown = { kid, state, signs_from: moment(signsFrom), published_until: moment(publishedUntil) };
    process.stdout.write(`${JSON.stringify(shown)}\n`);
  }
}

/** RFC 3339, or null for "ever since" and "for good". */
function moment(at: number): string | null {
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}

await runAsEntry(import.meta.url, main);
