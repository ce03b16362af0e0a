import { parseArgs } from 'node:util';
import { ownCommand } from '../../functions/shared/build-info.ts';
import { type Config, loadConfig } from '../../functions/shared/config.ts';
import type { RingEntry } from '../../functions/shared/identity/adapters/signing-keys/key-ring.ts';
import { rotate, rotateNow, showKeys } from '../../functions/shared/identity/adapters/signing-keys/rotate.ts';
import { recordCommand } from './audit.ts';
import { CommandError, exitCodeOf, runIfMain, UsageError, warnIfUnused, withFileErrors } from './entry.ts';

const COMMAND = ownCommand('jwt-key');
const USAGE = `Usage:
  ${COMMAND} show
  ${COMMAND} rotate         publish a new key now, start signing with it in 75 minutes
  ${COMMAND} rotate --now   replace a leaked key immediately
  ${COMMAND} --help | --version`;

/** Shows and rotates the keys that sign tokens. Never prints a private key. */
export function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return exitCodeOf(USAGE, argv, async () => {
    const [action, ...args] = argv;
    if (action !== 'show' && action !== 'rotate') {
      throw new UsageError(action === undefined ? 'Missing command.' : `Unknown command "${action}".`);
    }
    const options = action === 'rotate' ? ({ now: { type: 'boolean' } } as const) : {};
    const { values } = parseArgs({ args, options });
    const { config } = loadConfig(environment);
    const path = keyFileOf(config);
    const now = 'now' in values && values.now === true;
    await withFileErrors(path, async () => {
      if (action === 'show') printKeys(path, showKeys(path, Date.now()));
      else if (now) reportReplacement(path, await rotateNow(path, Date.now()));
      else reportRotation(path, await rotate(path, Date.now()));
    });
    if (action !== 'rotate') return;
    await recordCommand(config, 'signing-key.rotate', { now });
    warnIfUnused(config);
  });
}

function keyFileOf(config: Config): string {
  if (config.SERVICE_JWT_EPHEMERAL) {
    throw new CommandError(
      'SERVICE_JWT_EPHEMERAL is set: the signing key exists only in memory and changes each time the service starts.',
    );
  }
  if (config.SERVICE_JWT_SIGNING_KEY !== undefined) {
    throw new CommandError('The signing key comes from SERVICE_JWT_SIGNING_KEY; rotate it where that is set.');
  }
  return config.SERVICE_JWT_SIGNING_KEY_PATH;
}

function reportRotation(path: string, keys: readonly RingEntry[]): void {
  process.stderr.write(
    'The new key is published now and will sign tokens later, so that stream servers have it by then. Existing tokens stay valid.\n',
  );
  printKeys(path, keys);
}

function reportReplacement(path: string, keys: readonly RingEntry[]): void {
  process.stderr.write(
    'All existing tokens are now invalid: every client must authenticate again, and streams opened with an old token end. Stream servers reject the new tokens until they fetch the public keys again, which MediaMTX does within an hour or on restart.\n',
  );
  printKeys(path, keys);
}

function printKeys(path: string, keys: readonly RingEntry[]): void {
  process.stderr.write(`The signing keys in ${path}:\n`);
  for (const { kid, state, signsFrom, publishedUntil } of keys) {
    const shown = { kid, state, signs_from: timestamp(signsFrom), published_until: timestamp(publishedUntil) };
    process.stdout.write(`${JSON.stringify(shown)}\n`);
  }
}

/** RFC 3339, or null when there is no bound. */
function timestamp(at: number): string | null {
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}

await runIfMain(import.meta.url, main);
