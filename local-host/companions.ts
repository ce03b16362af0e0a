import type { Ports } from '../functions/shared/port.ts';
import { auditTrail, lifecycle, robotLink, signingKeys, streamServer } from '../functions/shared/ports.ts';

/** What runs beside the listeners as long as the process does. */
export interface Companions {
  close(): Promise<void>;
}

/**
 * Joins the broker when SERVICE_RELAY_URL is set, and keeps the stream server's copy of the public keys up to date when
 * SERVICE_MEDIAMTX_API_URL is. Neither has to be reachable.
 * @throws ConfigError when a setting cannot be used.
 */
export async function startCompanions(ports: Ports): Promise<Companions> {
  const relay = await joinBroker(ports);
  const news = await keepStreamServerInformed(ports);
  return {
    async close() {
      news?.stop();
      await relay?.close();
    },
  };
}

async function joinBroker(ports: Ports) {
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
    seen: new SeenIds(),
  });
}

async function keepStreamServerInformed(ports: Ports) {
  const { config, logger, clock } = ports;
  if (config.SERVICE_MEDIAMTX_API_URL === undefined) return undefined;
  const { tellStreamServer } = await import('./stream-server-keys.ts');
  return tellStreamServer({
    streamServer: await ports.get(streamServer),
    signingKeys: await ports.get(signingKeys),
    clock,
    logger,
  });
}
