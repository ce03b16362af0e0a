import { unavailable } from '../errors.ts';
import { metrics } from '../observability/ports.ts';
import { type Port, port } from '../port.ts';
import type { ApiKeyGate } from './api-key-gate.ts';
import type { KeyEditor } from './key-editor.port.ts';
import type { KeyStore } from './key-store.port.ts';
import type { KeyUse } from './key-use.port.ts';
import type { Revocations } from './revocations.port.ts';
import type { Secrets } from './secrets.port.ts';
import type { SigningKeys } from './signing-keys.port.ts';
import type { TokenRenewals } from './token-renewals.ts';
import type { Tokens } from './tokens.ts';

/** The signing keys: memory, environment or file (specification, section 5.8). */
export const signingKeys: Port<SigningKeys> = /* @__PURE__ */ port(
  'signing keys',
  async ({ config, logger, clock }) => {
    const { openSigningKeys } = await import('./adapters/signing-keys/open.ts');
    return openSigningKeys(config, logger, clock);
  },
);

/** The API keys: environment or file in the data folder. */
export const keyStore: Port<KeyStore> = /* @__PURE__ */ port('key store', async ({ config, logger, clock }) => {
  const { openKeyStore } = await import('./adapters/key-store/open.ts');
  return openKeyStore(config, logger, clock);
});

/** Changes the API keys of the data folder. */
export const keyEditor: Port<KeyEditor> = /* @__PURE__ */ port('key editor', async (ports) => {
  const { openKeyEditor } = await import('./adapters/key-store/editor.ts');
  return openKeyEditor(ports.config, await ports.get(keyStore));
});

/** When API keys were last used: in the data folder; a function in the cloud does not know. */
export const keyUse: Port<KeyUse> = /* @__PURE__ */ port(
  'key use',
  async ({ config, logger, clock }) => {
    const { KeyUseFile, keyUsePath, NO_KEY_USE } = await import('./adapters/key-use-file.ts');
    return config.inCloud ? NO_KEY_USE : new KeyUseFile(keyUsePath(config), logger, clock);
  },
  (uses) => uses.close(),
);

/** Logouts, and revocations of the Unix socket's tokens: in the data folder; a function in the cloud has none. */
export const revocations: Port<Revocations> = /* @__PURE__ */ port('revocations', async ({ config, logger, clock }) => {
  const { openRevocations } = await import('./adapters/revocations/open.ts');
  return openRevocations(config, logger, clock);
});

/** Mints and verifies the service's own tokens. */
export const tokens: Port<Tokens> = /* @__PURE__ */ port(
  'tokens',
  async (ports) => {
    const { createTokens } = await import('./tokens.ts');
    return createTokens({
      config: ports.config,
      clock: ports.clock,
      signingKeys: await ports.get(signingKeys),
      keyStore: await ports.get(keyStore),
      revocations: await ports.get(revocations),
      keyUse: await ports.get(keyUse),
    });
  },
  undefined,
  { perRobot: true },
);

/** Newer tokens for clients that take them from the answers to their commands. */
export const tokenRenewals: Port<TokenRenewals> = /* @__PURE__ */ port(
  'token renewals',
  async (ports) => {
    const { TokenRenewals } = await import('./token-renewals.ts');
    const { config, clock, logger } = ports;
    return new TokenRenewals({
      config,
      clock,
      logger,
      tokens: await ports.get(tokens),
      keyStore: await ports.get(keyStore),
      metrics: await ports.get(metrics),
    });
  },
  undefined,
  { perRobot: true },
);

/** Checks API keys and slows down those who guess them. */
export const apiKeyGate: Port<ApiKeyGate> = /* @__PURE__ */ port('api-key gate', async (ports) => {
  const { createApiKeyGate } = await import('./api-key-gate.ts');
  return createApiKeyGate({ config: ports.config, clock: ports.clock, keyStore: await ports.get(keyStore) });
});

/** Where settings that name a secret get its text; in AWS Lambda only. */
export const secrets: Port<Secrets> = /* @__PURE__ */ port('secrets', async ({ config }) => {
  const { secretsOfExtension } = await import('./adapters/lambda-extension.ts');
  if (config.secretsExtension) return secretsOfExtension(config.secretsExtension);
  throw unavailable('secrets', 'A setting can name a secret in AWS Lambda only. Set its value here.');
});
