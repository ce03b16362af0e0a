import type { ApiKeyRecord, KeyStore } from '../adapters/key-store/port.ts';
import type { Config } from '../config.ts';

export interface ApiKeyGate {
  /**
   * The key record of this secret.
   * @throws ServiceError `missing_api_key`, `api_key_invalid`, `rate_limited` (with Retry-After), `insufficient_access`
   * when the key is limited to other robots.
   */
  check(secret: string | undefined, address: string): Promise<ApiKeyRecord>;
}

export interface ApiKeyGateParts {
  readonly config: Config;
  readonly clock: () => number;
  readonly keyStore: KeyStore;
}

export function createApiKeyGate(_parts: ApiKeyGateParts): ApiKeyGate {
  throw new Error('being written');
}
