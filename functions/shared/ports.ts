/**
 * The one place that chooses implementations from the configuration. Each recipe imports its adapter when it is first
 * used, so that a bundled function carries only the adapters of the ports it names.
 */

import type { AuditTrail } from './adapters/audit-trail/port.ts';
import type { RobotDatabase } from './adapters/database/port.ts';
import type { DocumentationFiles } from './adapters/documentation-files/port.ts';
import type { KeyStore } from './adapters/key-store/port.ts';
import { type Metrics, NO_METRICS } from './adapters/metrics/port.ts';
import type { RobotLink, Robots } from './adapters/robot-link/port.ts';
import type { Secrets } from './adapters/secrets/port.ts';
import type { SigningKeys } from './adapters/signing-keys/port.ts';
import type { StreamServer } from './adapters/stream-server/port.ts';
import type { ApiDocument } from './api-document.ts';
import { auditPaths, type Config } from './config.ts';
import { unavailable } from './errors.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import { type Port, port } from './port.ts';
import type { LocalSocket, ReadinessCheck } from './readiness.ts';
import type { Refusals } from './refusals.ts';
import type { ApiKeyGate } from './tokens/api-key-gate.ts';
import type { Tokens } from './tokens/tokens.ts';

export * from './machine-ports.ts';

const PER_ROBOT = { perRobot: true } as const;

/** The frozen configuration, for handlers that answer from it. */
export const config: Port<Config> = /* @__PURE__ */ port(
  'configuration',
  (ports) => ports.config,
  undefined,
  PER_ROBOT,
);

/** Now, in ms since the epoch. */
export const clock: Port<() => number> = /* @__PURE__ */ port('clock', (ports) => ports.clock);

/** The service's log. */
export const logger: Port<Logger> = /* @__PURE__ */ port('log', (ports) => ports.logger);

/** The signing keys: memory, environment or file (specification, section 5.8). */
export const signingKeys: Port<SigningKeys> = /* @__PURE__ */ port(
  'signing keys',
  async ({ config, logger, clock }) => {
    const { openSigningKeys } = await import('./adapters/signing-keys/open.ts');
    return openSigningKeys(config, logger, clock);
  },
);

/** The API keys: environment or file in the data folder. */
export const keyStore: Port<KeyStore> = /* @__PURE__ */ port('key store', async ({ config, logger, clock }) => {
  const { openKeyStore } = await import('./adapters/key-store/open.ts');
  return openKeyStore(config, logger, clock);
});

/** Mints and verifies the service's own tokens. */
export const tokens: Port<Tokens> = /* @__PURE__ */ port(
  'tokens',
  async (ports) => {
    const { createTokens } = await import('./tokens/tokens.ts');
    const keys = { signingKeys: await ports.get(signingKeys), keyStore: await ports.get(keyStore) };
    return createTokens({ config: ports.config, clock: ports.clock, ...keys });
  },
  undefined,
  PER_ROBOT,
);

/** Checks API keys and slows down those who guess them. */
export const apiKeyGate: Port<ApiKeyGate> = /* @__PURE__ */ port('api-key gate', async (ports) => {
  const { createApiKeyGate } = await import('./tokens/api-key-gate.ts');
  return createApiKeyGate({ config: ports.config, clock: ports.clock, keyStore: await ports.get(keyStore) });
});

/** Who did what: files in the data folder, in the cloud the log. */
export const auditTrail: Port<AuditTrail> = /* @__PURE__ */ port(
  'audit trail',
  async ({ config, logger }) => {
    if (config.inCloud) return (await import('./adapters/audit-trail/log.ts')).auditIntoLog(logger);
    const { AuditTrails } = await import('./adapters/audit-trail/trails.ts');
    return new AuditTrails(auditPaths(config), logger);
  },
  (trail) => trail.close(),
);

/** Counts nothing unless the local host gives one that does. */
export const metrics: Port<Metrics> = /* @__PURE__ */ port('metrics', () => NO_METRICS);

/** Counts and logs what the budgets refuse. */
export const refusals: Port<Refusals> = /* @__PURE__ */ port('refusals', async (ports) => {
  const { Refusals } = await import('./refusals.ts');
  return new Refusals(await ports.get(metrics), ports.logger, ports.clock);
});

/** The robots of a fleet, over one connection to their broker. */
export const robots: Port<Robots> = /* @__PURE__ */ port(
  'robots',
  async ({ config, logger, clock }) => {
    const { openMqttFleet } = await import('./adapters/robot-link/mqtt/open.ts');
    return openMqttFleet(config, logger, clock);
  },
  (fleet) => fleet.close(),
  { thaw: (fleet) => fleet.thaw() },
);

/** The way to the robot, chosen by SERVICE_ROBOT_URL. */
export const robotLink: Port<RobotLink> = /* @__PURE__ */ port(
  'robot link',
  async (ports) => {
    const { openFleetLink, openRobotLink } = await import('./adapters/robot-link/open.ts');
    const { config, logger, clock } = ports;
    const counting = await ports.get(metrics);
    if (config.fleet) return openFleetLink(await ports.get(robots), config.SERVICE_ROBOT_ID, counting);
    return openRobotLink(config, logger, clock, counting);
  },
  (link) => link.close(),
  {
    perRobot: true,
    thaw: (link) => link.thaw?.(),
    unasked: async () => (await import('./adapters/robot-link/none.ts')).unaskedRobot(),
  },
);

/** The video-stream server that is told of new public keys (SERVICE_MEDIAMTX_API_URL). */
export const streamServer: Port<StreamServer> = /* @__PURE__ */ port('stream server', async ({ config }) => {
  const { openMediaMtx } = await import('./adapters/stream-server/media-mtx.ts');
  return openMediaMtx(config.SERVICE_MEDIAMTX_API_URL);
});

/** Where the process stands in its life; the host says so when it drains. */
export const lifecycle: Port<Lifecycle> = /* @__PURE__ */ port('lifecycle', () => ({ draining: false }));

/** The Unix socket of the local host, which says so when it could not make one. */
export const localSocket: Port<LocalSocket> = /* @__PURE__ */ port('local socket', () => ({
  problem: () => undefined,
}));

/** What has to work before requests make sense. */
export const readiness: Port<readonly ReadinessCheck[]> = /* @__PURE__ */ port('readiness', async (ports) => {
  const { readinessChecks } = await import('./readiness.ts');
  const { folderProblem } = await import('./adapters/folders/folder-problem.ts');
  return readinessChecks({
    robotLink: () => (ports.config.fleet ? ports.get(robots) : ports.get(robotLink)),
    database: () => ports.get(database),
    signingKeys: () => ports.get(signingKeys),
    keyStore: () => ports.get(keyStore),
    localSocket: () => ports.get(localSocket),
    skillsFolderProblem: () => folderProblem(ports.config.SERVICE_SKILLS_DIR),
    clock: ports.clock,
  });
});

/** The robot's database, at SERVICE_DATABASE_URL. */
export const database: Port<RobotDatabase> = /* @__PURE__ */ port(
  'database',
  async (ports) => {
    const { openDatabase } = await import('./adapters/database/open.ts');
    const { config, logger, clock } = ports;
    return openDatabase(config, logger, clock, await ports.get(refusals));
  },
  (database) => database.close(),
);

/** The OpenAPI document: from the local host, which knows every route, else the file beside a bundled function. */
export const apiDocument: Port<() => ApiDocument> = /* @__PURE__ */ port('API document', async () => {
  const { openApiDocument } = await import('./adapters/api-document/open.ts');
  return openApiDocument();
});

/** Where settings that name a secret get its text; in AWS Lambda only. */
export const secrets: Port<Secrets> = /* @__PURE__ */ port('secrets', async ({ config }) => {
  const { secretsOfExtension } = await import('./adapters/secrets/lambda-extension.ts');
  if (config.secretsExtension) return secretsOfExtension(config.secretsExtension);
  throw unavailable('secrets', 'A setting can name a secret in AWS Lambda only.');
});

/** The files of the documentation page. */
export const documentationFiles: Port<DocumentationFiles> = /* @__PURE__ */ port('documentation files', async () => {
  const { openDocumentationFiles } = await import('./adapters/documentation-files/open.ts');
  return openDocumentationFiles();
});
