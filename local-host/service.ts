import { descriptorLimit } from '../functions/shared/adapters/descriptors/limit.ts';
import { createPrometheusMetrics } from '../functions/shared/adapters/metrics/prometheus.ts';
import { give, Ports, type Surroundings } from '../functions/shared/port.ts';
import {
  apiDocument,
  descriptionFiles,
  keyStore,
  lifecycle,
  llmConfigFile,
  localSocket,
  metrics,
  refusals,
  robotLink,
  signingKeys,
  skillFiles,
} from '../functions/shared/ports.ts';
import { Refusals } from '../functions/shared/refusals.ts';
import { AnswerBudget } from './answer-budget.ts';
import { BodyBudget } from './body-budget.ts';
import { createSpeaksForMany } from './client-address.ts';
import { startCompanions } from './companions.ts';
import { connectionLimits } from './connection-limits.ts';
import { Connections } from './connections.ts';
import { InFlight } from './in-flight.ts';
import { LIMITS, type Limits } from './limits.ts';
import { Listeners } from './listeners.ts';
import { apiDocumentOf } from './openapi.ts';
import { createRouter } from './router.ts';
import { ROUTES } from './routes.ts';

export interface Service {
  readonly ports: Ports;
  /** Where TCP clients find it. */
  readonly url: string;
  /** Where TLS clients find it, when there is a certificate. */
  readonly tlsUrl: string | undefined;
  readonly socketPath: string | undefined;
  readonly inFlight: InFlight;
  /** Lets requests finish, then ends them, closes the listeners and every port. Takes at most about 9 s. */
  stop(): Promise<void>;
}

/**
 * Listens on TCP, on the Unix socket and, with a certificate, on TLS with the whole route table. What cannot work, a signing key that others can read
 * for instance, ends the start here and not the first request.
 * @throws StartError in one line when a port is taken; what the ports throw.
 */
export async function startService(surroundings: Surroundings, limits: Limits = LIMITS): Promise<Service> {
  const { config, logger, clock = Date.now } = surroundings;
  const counting = createPrometheusMetrics();
  const refused = new Refusals(counting, logger, clock);
  const connections = new Connections(
    limits.connections ?? connectionLimits(descriptorLimit()),
    refused,
    createSpeaksForMany(config.SERVICE_TRUSTED_PROXY),
  );
  const inFlight = new InFlight(connections);
  const ports = new Ports({
    ...surroundings,
    given: [
      give(metrics, counting),
      give(refusals, refused),
      give(lifecycle, inFlight),
      give(apiDocument, apiDocumentOf(ROUTES)),
      give(localSocket, { problem: () => listeners.socketProblem }),
      ...(surroundings.given ?? []),
    ],
  });
  const first = [signingKeys, keyStore, robotLink, skillFiles, llmConfigFile, descriptionFiles];
  for (const which of first) await ports.get<unknown>(which);
  const listeners: Listeners = new Listeners({
    ports,
    router: createRouter(ROUTES, config.fleet),
    inFlight,
    limits,
    connections,
    answers: new AnswerBudget(limits, refused),
    bodies: new BodyBudget(limits, refused),
  });
  const { url, tlsUrl, socketPath } = await listeners.open();
  const companions = await startCompanions(ports).catch(async (error: unknown) => {
    await listeners.close();
    throw error;
  });
  return {
    ports,
    url,
    tlsUrl,
    socketPath,
    inFlight,
    async stop() {
      await inFlight.drain(limits.drainGrace);
      await inFlight.end(limits.drainEnd);
      await companions.close();
      await listeners.close();
      await ports.close();
      counting.close();
    },
  };
}
