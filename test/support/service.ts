import { ACCESS_LEVELS, type AccessLevel } from '../../functions/shared/access.ts';
import { openKeyStore } from '../../functions/shared/identity/adapters/key-store/open.ts';
import { KeySet } from '../../functions/shared/identity/adapters/key-store/records.ts';
import type { KeyStore } from '../../functions/shared/identity/key-store.port.ts';
import { keyStore, tokens } from '../../functions/shared/identity/ports.ts';
import { give, type Ports, type Surroundings } from '../../functions/shared/port.ts';
import type { InFlight } from '../../local-host/http/in-flight.ts';
import { LIMITS, type Limits } from '../../local-host/http/limits.ts';
import { startService } from '../../local-host/service.ts';
import { keyRecord } from './auth.ts';
import { type HttpAnswer, type HttpCall, http } from './http.ts';
import { silentLogger, testConfig } from './world.ts';

export interface TestService {
  readonly url: string;
  /** Where TLS clients find it; empty without a certificate. */
  readonly tlsUrl: string;
  readonly socketPath: string;
  readonly eventsUrl: string;
  readonly ports: Ports;
  readonly inFlight: InFlight;
  /** A token of this level, of an API key that is valid whatever keys the service has: {@link testKeyId}. */
  token(level: AccessLevel): Promise<string>;
  /** A request over TCP with a token of this level, or without one. */
  as(level: AccessLevel | undefined, path: string, call?: HttpCall): Promise<HttpAnswer>;
  stop(): Promise<void>;
}

export interface TestServiceOptions extends Partial<Surroundings> {
  readonly settings?: Record<string, string>;
  readonly limits?: Partial<Limits>;
}

/** The whole service in this process, on a free port of 127.0.0.1 and a socket of its own. */
export async function startTestService({
  settings,
  limits,
  ...surroundings
}: TestServiceOptions = {}): Promise<TestService> {
  const surrounded = { config: testConfig(settings), logger: silentLogger, clock: Date.now, ...surroundings };
  const world = { ...surrounded, given: [...(surrounded.given ?? []), await keysOfTests(surrounded)] };
  const service = await startService(world, { ...LIMITS, ...limits });
  const { ports } = service;
  const minted = new Map<AccessLevel, Promise<string>>();

  async function token(level: AccessLevel): Promise<string> {
    let known = minted.get(level);
    if (!known) {
      known = ports
        .get(tokens)
        .then((mint) => mint.mint({ accessLevel: level, keyId: testKeyId(level), mayPublish: false }))
        .then((made) => made.token);
      minted.set(level, known);
    }
    return known;
  }

  return {
    url: service.url,
    tlsUrl: service.tlsUrl ?? '',
    socketPath: service.socketPath ?? '',
    eventsUrl: service.eventsUrl ?? '',
    ports,
    inFlight: service.inFlight,
    token,
    async as(level, path, call = {}) {
      const authorization = level === undefined ? {} : { authorization: `Bearer ${await token(level)}` };
      const answer = await http(service.url, path, { ...call, headers: { ...authorization, ...call.headers } });
      // What walks over every route comes by here: its next request needs a token that has not just ended.
      if (level !== undefined && answer.json?.logged_out === true) minted.delete(level);
      return answer;
    },
    stop: () => service.stop(),
  };
}

/** Id of the API key behind the tokens that a {@link TestService} gives. */
export function testKeyId(level: AccessLevel): string {
  return `test-${level}`;
}

/** The service's own key store, which also knows the keys of the tests. */
async function keysOfTests({
  config,
  logger,
  clock,
  given = [],
}: Required<Pick<Surroundings, 'config' | 'logger' | 'clock'>> & Pick<Surroundings, 'given'>) {
  const handedIn = given.find(([which]) => which === keyStore)?.[1] as KeyStore | undefined; // as: the port says so
  const own = handedIn ?? (await openKeyStore(config, logger, clock));
  const ofTests = new KeySet(ACCESS_LEVELS.map((level) => keyRecord(testKeyId(level), level)));
  return give(keyStore, {
    findBySecret: (secret) => own.findBySecret(secret),
    findById: (id) => ofTests.findById(id) ?? own.findById(id),
    list: () => [...ofTests.list(), ...own.list()],
    problem: () => own.problem(),
  });
}
