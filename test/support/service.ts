import type { AccessLevel } from '../../functions/shared/access.ts';
import type { Ports, Surroundings } from '../../functions/shared/port.ts';
import { tokens } from '../../functions/shared/ports.ts';
import type { InFlight } from '../../local-host/in-flight.ts';
import { LIMITS, type Limits } from '../../local-host/limits.ts';
import { startService } from '../../local-host/service.ts';
import { type HttpAnswer, type HttpCall, http } from './http.ts';
import { silentLogger, testConfig } from './world.ts';

export interface TestService {
  readonly url: string;
  /** Where TLS clients find it; empty without a certificate. */
  readonly tlsUrl: string;
  readonly socketPath: string;
  readonly ports: Ports;
  readonly inFlight: InFlight;
  /** A token of this level, minted as over the Unix socket, so that it hangs on no API key. */
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
  const world = { config: testConfig(settings), logger: silentLogger, ...surroundings };
  const service = await startService(world, { ...LIMITS, ...limits });
  const { ports } = service;
  const minted = new Map<AccessLevel, Promise<string>>();

  async function token(level: AccessLevel): Promise<string> {
    let known = minted.get(level);
    if (!known) {
      known = ports
        .get(tokens)
        .then((mint) => mint.mint({ accessLevel: level, keyId: 'local', mayPublish: false }))
        .then((made) => made.token);
      minted.set(level, known);
    }
    return known;
  }

  return {
    url: service.url,
    tlsUrl: service.tlsUrl ?? '',
    socketPath: service.socketPath ?? '',
    ports,
    inFlight: service.inFlight,
    token,
    async as(level, path, call = {}) {
      const authorization = level === undefined ? {} : { authorization: `Bearer ${await token(level)}` };
      return http(service.url, path, { ...call, headers: { ...authorization, ...call.headers } });
    },
    stop: () => service.stop(),
  };
}
