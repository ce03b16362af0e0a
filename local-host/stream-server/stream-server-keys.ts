import type { SigningKeys } from '../../functions/shared/identity/signing-keys.port.ts';
import { Backoff } from '../../functions/shared/kit/backoff.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { StreamServer } from './port.ts';

interface KeySync {
  stop(): void;
}

interface Parts {
  readonly streamServer: StreamServer;
  readonly signingKeys: SigningKeys;
  readonly clock: () => number;
  readonly logger: Logger;
  /** How often the keys are compared, and how long to wait between retries. Tests pass shorter times. */
  readonly times?: { readonly pollMs: number; readonly minRetryMs: number; readonly maxRetryMs: number };
}

const TIMES = { pollMs: 2_000, minRetryMs: 1_000, maxRetryMs: 60_000 };

/**
 * Notifies the stream server when the published keys differ from those it last fetched: at start (the keys may have
 * changed while the service was down), when a key is rotated, and when an old one is withdrawn. Retries with backoff in
 * the background.
 */
export function syncStreamServerKeys({ streamServer, signingKeys, clock, logger, times = TIMES }: Parts): KeySync {
  const stopping = new AbortController();
  let synced: string | undefined;
  const backoff = new Backoff(times.minRetryMs, times.maxRetryMs);
  let timer = setTimeout(poll, 0);

  async function poll(): Promise<void> {
    const current = signingKeys
      .published(clock())
      .map(({ kid }) => kid)
      .join();
    let delayMs = times.pollMs;
    if (current !== synced) {
      try {
        await streamServer.refreshKeys(stopping.signal);
        synced = current;
        backoff.reset();
        logger.info('told the stream server to fetch the public keys again');
      } catch (error) {
        if (stopping.signal.aborted) return;
        delayMs = backoff.fail();
        logger.warn({ err: error, retry_ms: delayMs }, 'could not notify the stream server of the new public keys');
      }
    }
    if (!stopping.signal.aborted) timer = setTimeout(poll, delayMs);
  }

  return {
    stop() {
      clearTimeout(timer);
      stopping.abort();
    },
  };
}
