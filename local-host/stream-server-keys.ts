import type { SigningKeys } from '../functions/shared/adapters/signing-keys/port.ts';
import type { StreamServer } from '../functions/shared/adapters/stream-server/port.ts';
import type { Logger } from '../functions/shared/logger.ts';

export interface KeyNews {
  stop(): void;
}

interface Parts {
  readonly streamServer: StreamServer;
  readonly signingKeys: SigningKeys;
  readonly clock: () => number;
  readonly logger: Logger;
  /** How often the keys are looked at, and waits between tries, in ms. Tests hand in shorter ones. */
  readonly times?: { readonly look: number; readonly firstRetry: number; readonly longestRetry: number };
}

const TIMES = { look: 2_000, firstRetry: 1_000, longestRetry: 60_000 };

/**
 * Tells the stream server whenever the published keys are others than it was last told of: at the start (an ephemeral key
 * is always another, a file may have been rotated meanwhile), when a key is rotated, and when an old one goes. Tried
 * again with backoff until it has heard; nothing waits for it.
 */
export function tellStreamServer({ streamServer, signingKeys, clock, logger, times = TIMES }: Parts): KeyNews {
  const ending = new AbortController();
  let told: string | undefined;
  let failures = 0;
  let timer = setTimeout(look, 0);

  async function look(): Promise<void> {
    const present = signingKeys
      .published(clock())
      .map(({ kid }) => kid)
      .join();
    let pause = times.look;
    if (present !== told) {
      try {
        await streamServer.refreshKeys(ending.signal);
        told = present;
        failures = 0;
        logger.info('the stream server fetches the public keys anew');
      } catch (error) {
        if (ending.signal.aborted) return;
        pause = Math.min(times.longestRetry, times.firstRetry * 2 ** failures++);
        logger.warn({ err: error, retry_ms: pause }, 'the stream server could not be told of the present public keys');
      }
    }
    if (!ending.signal.aborted) timer = setTimeout(look, pause);
  }

  return {
    stop() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}
