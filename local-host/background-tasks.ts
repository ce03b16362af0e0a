import { signingKeys } from '../functions/shared/identity/ports.ts';
import { auditTrail, metrics, refusals } from '../functions/shared/observability/ports.ts';
import type { Ports } from '../functions/shared/port.ts';
import { robotLink } from '../functions/shared/robot-link/ports.ts';
import { lifecycle } from '../functions/system/status/ports.ts';
import type { MissionSource } from './relay/report-publisher.ts';
import { streamServer } from './stream-server/ports.ts';

/** Tasks that run next to the listeners for the lifetime of the process. */
export interface BackgroundTasks {
  /** Why the relay stays disconnected from its broker, or undefined. */
  relayProblem(): string | undefined;
  close(): Promise<void>;
}

/**
 * Joins the broker if SERVICE_RELAY_URL is set, and keeps the stream server's copy of the public keys current if
 * SERVICE_MEDIAMTX_API_URL is. Neither has to be reachable. `missions` is what the relay tells of missions.
 * @throws ConfigError when a setting is invalid.
 */
export async function startBackgroundTasks(ports: Ports, missions: MissionSource): Promise<BackgroundTasks> {
  const relay = await joinBroker(ports, missions);
  const keySync = await startKeySync(ports);
  return {
    relayProblem: () => relay?.problem(),
    async close() {
      keySync?.stop();
      await relay?.close();
    },
  };
}

async function joinBroker(ports: Ports, missions: MissionSource) {
  const { config, logger, clock } = ports;
  if (config.SERVICE_RELAY_URL === undefined) return undefined;
  const { openRelay } = await import('./relay/relay.ts');
  const { SeenIds } = await import('./relay/seen-ids.ts');
  return openRelay({
    config,
    logger,
    clock,
    robotLink: await ports.get(robotLink),
    auditTrail: await ports.get(auditTrail),
    lifecycle: await ports.get(lifecycle),
    refusals: await ports.get(refusals),
    metrics: await ports.get(metrics),
    seen: new SeenIds(),
    missions,
  });
}

async function startKeySync(ports: Ports) {
  const { config, logger, clock } = ports;
  if (config.SERVICE_MEDIAMTX_API_URL === undefined) return undefined;
  const { syncStreamServerKeys } = await import('./stream-server/stream-server-keys.ts');
  return syncStreamServerKeys({
    streamServer: await ports.get(streamServer),
    signingKeys: await ports.get(signingKeys),
    clock,
    logger,
  });
}
