import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import * as z from 'zod';
import type { Config } from '../../../config.ts';
import { ServiceError, unavailable } from '../../../errors.ts';
import { isDiskFull } from '../../../kit/error-code.ts';
import { replaceFile, sweepIfPossible } from '../../../kit/files/replace-file.ts';
import { FileFault, WatchedFile } from '../../../kit/files/watched-file.ts';
import { withLock } from '../../../kit/files/with-lock.ts';
import { Semaphore } from '../../../kit/semaphore.ts';
import { BudgetExceeded } from '../../../observability/budget-exceeded.ts';
import type { Logger } from '../../../observability/logger.ts';
import { TOKEN_SECONDS } from '../../claims.ts';
import type { Session } from '../../revocations.port.ts';

/** Twice the life of a token: a token may have been minted while the clock was ahead. */
const KEPT_SECONDS = 2 * TOKEN_SECONDS;
/** Clients that are kept, of all keys. One key has at most as many as it leaves for the others. */
const MAX_CLIENTS = 10_000;

const Kept = z.strictObject({
  clients: z.array(z.strictObject({ client_id: z.string(), key_id: z.string(), until: z.number() })),
  /** Tokens issued until then ended as well, since it is not known which ones had been ended. */
  all_until: z.number(),
});
type Kept = Readonly<z.infer<typeof Kept>>;

interface LoggedOut extends Kept {
  readonly ids: ReadonlySet<string>;
}

/** Path of the file of clients that have logged out. */
export function loggedOutPath({ SERVICE_DATA_DIR }: Config): string {
  return join(SERVICE_DATA_DIR, 'logged-out.json');
}

/**
 * The clients that have logged out, in a file that all services of a data folder share: each sees the logouts of the
 * others within a second. A file that is invalid at the start ends every token issued before.
 */
export class LoggedOutClients {
  readonly #path: string;
  readonly #clock: () => number;
  readonly #file: WatchedFile<LoggedOut>;
  readonly #writing = new Semaphore(1);
  /** When this process first saw each client, on a clock that nobody sets. */
  readonly #seen = new Map<string, number>();

  constructor(path: string, logger: Logger, clock: () => number) {
    this.#path = path;
    this.#clock = clock;
    const allUntil = existsSync(path) ? Math.floor(clock() / 1000) : 0;
    if (existsSync(path)) sweepIfPossible(path);
    this.#file = new WatchedFile(path, {
      clock,
      parse: ({ text }) => parse(text),
      fallback: withIds({ clients: [], all_until: allUntil }),
      onProblem: (problem) => {
        if (problem === undefined) logger.info('logged-out.json is valid again');
        else logger.error({ problem }, 'logged-out.json is invalid; tokens from before this start are refused');
      },
    });
  }

  /** @param issuedAt time of issue of the token, in seconds since the epoch. */
  has(clientId: string, issuedAt: number): boolean {
    const { ids, all_until } = this.#file.value();
    return ids.has(clientId) || issuedAt <= all_until;
  }

  /** @throws ServiceError `busy`, `storage_full`, `component_unavailable`; nothing has changed then. */
  async add(session: Session): Promise<void> {
    try {
      await this.#writing.run(() => withLock(this.#path, () => this.#write(session)));
    } catch (error) {
      throw error instanceof ServiceError ? error : notKept(error);
    }
    this.#file.value(true);
  }

  #write({ clientId, keyId }: Session): void {
    const { clients, ids, all_until } = this.#file.value(true);
    if (ids.has(clientId)) return;
    const kept = clients.filter((client) => this.#isNeeded(client));
    const own = kept.filter(({ key_id }) => key_id === keyId).length;
    if (own >= MAX_CLIENTS - kept.length) throw tooMany(own);
    const until = Math.floor(this.#clock() / 1000) + KEPT_SECONDS;
    const written: Kept = { clients: [...kept, { client_id: clientId, key_id: keyId, until }], all_until };
    replaceFile(this.#path, JSON.stringify(written));
    this.#seen.set(clientId, performance.now());
  }

  /** A clock that was set forward and is set back again must not bring tokens back to life. */
  #isNeeded({ client_id, until }: Kept['clients'][number]): boolean {
    const now = performance.now();
    const seen = this.#seen.get(client_id) ?? now;
    this.#seen.set(client_id, seen);
    if (until * 1000 > this.#clock() || now - seen < KEPT_SECONDS * 1000) return true;
    this.#seen.delete(client_id);
    return false;
  }
}

function withIds(kept: Kept): LoggedOut {
  return { ...kept, ids: new Set(kept.clients.map(({ client_id }) => client_id)) };
}

/** @throws FileFault */
function parse(text: string): LoggedOut {
  try {
    return withIds(Kept.parse(JSON.parse(text)));
  } catch (error) {
    throw new FileFault('it does not hold clients that have logged out', { cause: error });
  }
}

function tooMany(own: number): BudgetExceeded {
  return new BudgetExceeded('logouts', 'busy', {
    detail: `${own} clients of this API key have logged out within an hour, and the places that are left are kept for other keys. The token stays valid. Try again later, or revoke the API key.`,
    headers: { 'retry-after': '60' },
  });
}

function notKept(cause: unknown): ServiceError {
  if (!isDiskFull(cause)) {
    return unavailable(
      'logout',
      'The logout cannot be kept in the data folder, so the tokens stay valid. Revoke the API key, or try again.',
      cause,
    );
  }
  return new ServiceError('storage_full', {
    detail:
      'The disk is full and the logout cannot be kept, so the tokens stay valid. Free some space and try again, or revoke the API key.',
    cause,
  });
}
