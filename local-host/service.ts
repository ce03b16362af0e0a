import { database, databaseFiles } from '../functions/database/ports.ts';
import { LEASE_CLOSE_MS } from '../functions/shared/control/lease.ts';
import { leases, motionGuard } from '../functions/shared/control/ports.ts';
import { EventHub } from '../functions/shared/events/hub.ts';
import { eventSource } from '../functions/shared/events/ports.ts';
import { keyStore, signingKeys } from '../functions/shared/identity/ports.ts';
import { onTimeLimit } from '../functions/shared/kit/child-process/start.ts';
import { descriptorLimit } from '../functions/shared/kit/descriptor-limit.ts';
import { createPrometheusMetrics } from '../functions/shared/observability/adapters/metrics/prometheus.ts';
import { metrics, refusals } from '../functions/shared/observability/ports.ts';
import { Refusals } from '../functions/shared/observability/refusals.ts';
import { give, Ports, type Surroundings } from '../functions/shared/port.ts';
import { robotLink } from '../functions/shared/robot-link/ports.ts';
import { simulatedHome } from '../functions/shared/robot-link/simulated-home.ts';
import { runDoor, runs, skillSources } from '../functions/shared/runs/ports.ts';
import { endRestore, resumeRestore } from '../functions/system/backup/adapters/resume.ts';
import { languageModelProblem, robotDatabase, stillness } from '../functions/system/backup/ports.ts';
import { servedTls } from '../functions/system/certificate/ports.ts';
import { stopPorts } from '../functions/system/console/ports.ts';
import { descriptionFiles } from '../functions/system/description/ports.ts';
import { apiDocument, eventsDocument } from '../functions/system/documentation/ports.ts';
import { incidentSources } from '../functions/system/incident/ports.ts';
import { llmConfigFile, llmConfigProblem } from '../functions/system/llm-config/ports.ts';
import { pythonParser, skillFiles } from '../functions/system/skills/ports.ts';
import { runnableSkills } from '../functions/system/skills/runnable-skills.ts';
import { lifecycle, readiness, stopAddresses } from '../functions/system/status/ports.ts';
import { type BackgroundTasks, startBackgroundTasks } from './background-tasks.ts';
import { asyncApiDocument } from './events/asyncapi.ts';
import { EventStreams } from './events/event-streams.ts';
import { eventStreams } from './events/ports.ts';
import { startProducers } from './events/producers.ts';
import { robotHub } from './events/robot-events.ts';
import { type Guarding, guardOfMotion, startGuarding } from './guard/guarding.ts';
import { AnswerBudget } from './http/answer-budget.ts';
import { BodyBudget } from './http/body-budget.ts';
import { createSharedPeerCheck } from './http/client-address.ts';
import { connectionLimits } from './http/connection-limits.ts';
import { Connections } from './http/connections.ts';
import { InFlight } from './http/in-flight.ts';
import { LIMITS, type Limits } from './http/limits.ts';
import { type Addresses, Listeners } from './http/listeners.ts';
import { RequestPace } from './http/request-pace.ts';
import { createRouter } from './http/router.ts';
import type { ServerParts } from './http/server.ts';
import { incidentSourcesOf } from './incident-sources.ts';
import { apiDocumentOf } from './openapi/openapi.ts';
import { readinessChecks, readinessParts } from './readiness.ts';
import { ROUTES } from './routes.ts';
import { runDoors } from './runs/run-door.ts';
import { homeInTables } from './simulated-home.ts';
import { stillnessOf } from './stillness.ts';

export interface Service extends Addresses {
  readonly ports: Ports;
  readonly inFlight: InFlight;
  /**
   * Lets requests finish, aborts those that do not, and closes the listeners and all ports. Takes at most about 9 s.
   */
  stop(): Promise<void>;
}

/**
 * Serves the route table on TCP, on the Unix socket and, with a certificate, on TLS. Fatal problems, such as a signing
 * key that others can read, surface here rather than with the first request.
 * @param guardEnvironment of the guard that is started where the robot needs one; undefined: none is.
 * @throws StartError with one line when a port is in use; whatever the ports throw.
 */
export async function startService(
  surroundings: Surroundings,
  limits: Limits = LIMITS,
  guardEnvironment?: NodeJS.ProcessEnv,
): Promise<Service> {
  const { config, logger, clock = Date.now } = surroundings;
  const wasRestoring = await resumeRestore(config, logger); // before anything opens a file of the robot
  const prometheus = createPrometheusMetrics();
  const refused = new Refusals(prometheus, logger, clock);
  const connections = new Connections(
    limits.connections ?? connectionLimits(descriptorLimit()),
    refused,
    createSharedPeerCheck(config.SERVICE_TRUSTED_PROXY),
  );
  const unsubscribeTimeLimit = onTimeLimit((program) =>
    refused.note('processes', 'Killed a program and its children because it exceeded its time limit', { program }),
  );
  const inFlight = new InFlight(connections);
  const hub = new EventHub({ source: `/robots/${config.SERVICE_ROBOT_ID}`, clock });
  const streams = new EventStreams({ hub, metrics: prometheus, clock, limits: limits.events });
  let backgroundTasks: BackgroundTasks | undefined;
  let guarding: Guarding | undefined;
  let listeners: Listeners | undefined; // not before the ports, which ask for what they have opened
  const parts = readinessParts(() => ports, {
    localSocket: { problem: () => listeners?.socketProblem, owner: () => listeners?.socketOwner },
    eventsPort: { problem: () => listeners?.eventsProblem },
    tls: { problem: () => listeners?.tlsProblem },
    relay: { problem: () => backgroundTasks?.relayProblem() },
    guard: { problem: () => guarding?.problem() ?? listeners?.stopProblem },
  });
  const whereStopIs = () => guarding?.addresses() ?? listeners?.stopAddresses ?? null;
  const ports: Ports = new Ports({
    ...surroundings,
    refused,
    given: [
      give(metrics, prometheus),
      give(refusals, refused),
      give(eventSource, (of) => (of.robotId === undefined ? hub : of.get(robotHub))),
      give(eventStreams, streams),
      give(lifecycle, inFlight),
      give(apiDocument, apiDocumentOf(ROUTES)),
      give(eventsDocument, asyncApiDocument()),
      give(readiness, readinessChecks(parts)),
      give(
        motionGuard,
        guardOfMotion(config, () => guarding),
      ),
      give(stopAddresses, whereStopIs),
      give(stopPorts, whereStopIs),
      give(servedTls, () => listeners?.servedTls()),
      give(
        simulatedHome,
        homeInTables(() => ports.get(database)),
      ),
      give(
        incidentSources,
        incidentSourcesOf(() => ports),
      ),
      give(robotDatabase, () => ports.get(databaseFiles)),
      give(languageModelProblem, async (path) => (await ports.get(llmConfigProblem))(path)),
      give(
        stillness,
        stillnessOf(hub, () => ports),
      ),
      give(
        skillSources,
        runnableSkills(async () => ({ files: await ports.get(skillFiles), python: await ports.get(pythonParser) })),
      ),
      give(
        runDoor,
        runDoors(() => serverParts, ROUTES),
      ),
      ...(surroundings.given ?? []),
    ],
  });
  if (wasRestoring) void ports.get(database).then(() => endRestore(config));
  const openedAtStart = [signingKeys, keyStore, robotLink, skillFiles, llmConfigFile, descriptionFiles];
  for (const port of openedAtStart) await ports.get<unknown>(port);
  guarding = await startGuarding(ports, guardEnvironment, inFlight);
  const register = config.fleet ? undefined : await ports.get(leases);
  const skillRuns = config.fleet ? undefined : await ports.get(runs);
  const stopProducers = await startProducers(hub, ports);
  const serverParts: ServerParts = {
    ports,
    router: createRouter(ROUTES, config.fleet),
    inFlight,
    limits,
    connections,
    answers: new AnswerBudget(limits, refused),
    bodies: new BodyBudget(limits),
    pace: new RequestPace(),
    streams,
  };
  const stopRoutes = ROUTES.filter(({ path }) => path === '/api/{version}/stop');
  const opened = new Listeners({ ...serverParts, stopRouter: createRouter(stopRoutes, false) });
  listeners = opened;
  const giveUp = async (error: unknown) => {
    await opened.close();
    await guarding?.close();
    throw error;
  };
  const addresses = await opened.open().catch(giveUp);
  backgroundTasks = await startBackgroundTasks(ports, hub).catch(giveUp);
  return {
    ...addresses,
    ports,
    inFlight,
    async stop() {
      const leaseEnded = register?.close(LEASE_CLOSE_MS); // first, so that subscribers hear of it before they are closed
      await Promise.all([leaseEnded, skillRuns?.close(), inFlight.drain(limits.drainGraceMs), streams.close()]);
      await inFlight.end(limits.drainEndMs);
      stopProducers();
      await backgroundTasks?.close();
      await opened.close();
      await ports.close();
      await guarding?.close();
      unsubscribeTimeLimit();
      prometheus.close();
    },
  };
}
