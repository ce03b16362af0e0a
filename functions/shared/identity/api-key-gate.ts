import { createHmac, randomBytes } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { BUILT_AT, ownCommand } from '../build-info.ts';
import type { Config } from '../config.ts';
import { ServiceError, unavailable } from '../errors.ts';
import { addressBlock } from './address-block.ts';
import { endOf } from './api-key-record.schema.ts';
import type { ApiKeyRecord, KeyStore } from './key-store.port.ts';

export interface ApiKeyGate {
  /**
   * The key record of this secret. A right key is never refused for the wrong ones that came before it.
   * @throws ServiceError `missing_api_key`, `api_key_invalid`, `rate_limited` (with Retry-After) after 5 wrong keys a
   * minute from one address, `insufficient_access` when the key is limited to other robots, `component_unavailable`
   * while the clock is before the build date.
   * @param robotId the robot that is addressed; absent: SERVICE_ROBOT_ID.
   */
  check(secret: string | undefined, address: string, robotId?: string): Promise<ApiKeyRecord>;
  /** Counts another secret that was guessed wrong together with the keys. @throws ServiceError `rate_limited`. */
  countWrong(address: string): Promise<void>;
}

interface ApiKeyGateParts {
  readonly config: Config;
  readonly clock: () => number;
  readonly keyStore: KeyStore;
}

const WRONG_KEYS = 5;
const WINDOW_SECONDS = 60;
/** Robots that an error names. */
const MAX_LISTED = 5;

export function createApiKeyGate({ config, clock, keyStore }: ApiKeyGateParts): ApiKeyGate {
  const wrongKeys = new RateLimiterMemory({ points: WRONG_KEYS, duration: WINDOW_SECONDS });
  const salt = randomBytes(16);

  return {
    countWrong: (address) => countWrongKey(wrongKeys, counterOf(address, salt)),

    async check(secret, address, robotId = config.SERVICE_ROBOT_ID) {
      requireClock(clock());
      if (secret === undefined || secret === '') {
        throw new ServiceError('missing_api_key', { detail: 'Send an API key in the header "X-API-Key".' });
      }
      const key = keyStore.findBySecret(secret);
      if (!key || clock() >= endOf(key)) {
        await countWrongKey(wrongKeys, counterOf(address, salt));
        throw new ServiceError('api_key_invalid', {
          detail: `The API key in X-API-Key is unknown, expired or revoked. Send it as it was printed when it was created, or have a new one created with "${ownCommand('api-key', 'create')}".`,
        });
      }
      if (key.robots?.includes(robotId) === false) {
        throw config.fleet ? robotsOnly(key.robots) : limitedElsewhere(robotId);
      }
      return key;
    },
  };
}

function limitedElsewhere(robotId: string): ServiceError {
  return new ServiceError('insufficient_access', {
    detail: `This API key is limited to other robots than "${robotId}". Use it there, or a key for this robot here.`,
  });
}

/** `insufficient_access` for a key that is limited to some robots of a fleet, with the way to them. */
export function robotsOnly(robots: readonly string[]): ServiceError {
  const listed = robots.length > MAX_LISTED ? `${robots.slice(0, MAX_LISTED).join(', ')}, …` : robots.join(', ');
  return new ServiceError('insufficient_access', {
    detail: `This API key is limited to the robots ${listed}. Get a token for one of them from GET /{robot_id}/rest/api/v2/auth/ and use it below /{robot_id}/rest.`,
  });
}

/** A token whose times come from a wrong clock would be refused, or live for years, once the clock is right. */
function requireClock(now: number): void {
  if (now >= BUILT_AT) return;
  throw unavailable('clock', 'The clock of the robot is before the build date of this service; set it and try again.');
}

/**
 * Addresses share 65 536 counters, so that no flood of addresses can fill the memory. A client that shares one
 * with an attacker gets `rate_limited` instead of `api_key_invalid`, and only for a wrong key.
 */
function counterOf(address: string, salt: Buffer): number {
  return createHmac('sha256', salt).update(addressBlock(address)).digest().readUInt16BE(0);
}

async function countWrongKey(wrongKeys: RateLimiterMemory, counter: number): Promise<void> {
  try {
    await wrongKeys.consume(counter);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw new ServiceError('rate_limited', {
      detail: `More than ${WRONG_KEYS} wrong API keys or pairing codes came from this address within a minute. Wait, then send the right one.`,
      headers: { 'retry-after': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))) },
    });
  }
}
