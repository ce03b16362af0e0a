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
import { AnswerBudget } from './answer-budget.ts';
import { BodyBudget } from './body-budget.ts';
import { startCompanions } from './companions.ts';
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
  const inFlight = new InFlight();
  const counting = createPrometheusMetrics();
  const ports = new Ports({
    ...surroundings,
    given: [
      give(metrics, counting),
      give(lifecycle, inFlight),
      give(apiDocument, apiDocumentOf(ROUTES)),
      give(localSocket, { problem: () => listeners.socketProblem }),
      ...(surroundings.given ?? []),
    ],
  });
  const first = [signingKeys, keyStore, robotLink, skillFiles, llmConfigFile, descriptionFiles];
  for (const which of first) await ports.get<unknown>(which);
  const router = createRouter(ROUTES, ports.config.fleet);
  const refused = await ports.get(refusals);
  const answers = new AnswerBudget(limits, refused);
  const bodies = new BodyBudget(limits, refused);
  const listeners: Listeners = new Listeners({ ports, router, inFlight, limits, answers, bodies });
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
