import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openSigningKeys } from '../../../../../functions/shared/identity/adapters/signing-keys/open.ts';
import { newKey } from '../../../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { createLogger } from '../../../../../functions/shared/observability/logger.ts';
import { NOON } from '../../../../support/auth.ts';
import { testConfig } from '../../../../support/world.ts';

async function open(settings: Record<string, string>) {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => lines.push(line) });
  const config = testConfig(settings);
  const keys = await openSigningKeys(config, logger, () => NOON);
  return { keys, log: lines.join(''), config };
}

describe('The signing key', () => {
  it('of the environment is used unchanged, even with \\n for line breaks, and no file is created', async () => {
    const { kid, pem } = newKey();
    for (const text of [pem, pem.replaceAll('\n', '\\n')]) {
      const { keys, config } = await open({ SERVICE_JWT_SIGNING_KEY: text });
      expect(keys.current(NOON).kid).toBe(kid);
      expect(existsSync(config.SERVICE_JWT_SIGNING_KEY_PATH)).toBe(false);
    }
  });

  it('of the environment is refused by name when invalid, without its text', async () => {
    await expect(open({ SERVICE_JWT_SIGNING_KEY: 'hunter2' })).rejects.toThrow(
      /SERVICE_JWT_SIGNING_KEY: (?!.*hunter2)/,
    );
  });

  it.each(['1', 'true'])(
    'in ephemeral mode (%s) overrides both, with a warning, and changes at each start',
    async (mode) => {
      const { kid, pem } = newKey();
      const settings = { SERVICE_JWT_EPHEMERAL: mode, SERVICE_JWT_SIGNING_KEY: pem };
      const [first, second] = [await open(settings), await open(settings)];
      expect(new Set([kid, first.keys.current(NOON).kid, second.keys.current(NOON).kid]).size).toBe(3);
      expect(first.log).toMatch(/"level":"warn".*SERVICE_JWT_EPHEMERAL.*hour/);
      expect(existsSync(first.config.SERVICE_JWT_SIGNING_KEY_PATH)).toBe(false);
    },
  );

  it('names its setting when the file cannot be created', async () => {
    await expect(open({ SERVICE_JWT_SIGNING_KEY_PATH: '/dev/null/key.pem' })).rejects.toThrow(
      /SERVICE_JWT_SIGNING_KEY_PATH \(\/dev\/null\/key.pem\): the file cannot be used \(E[A-Z]+\)$/,
    );
  });
});
