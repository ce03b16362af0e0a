import type { EventHub } from '../../functions/shared/events/hub.ts';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import type { Ports } from '../../functions/shared/port.ts';
import { robotLink } from '../../functions/shared/robot-link/ports.ts';
import { servedTls } from '../../functions/system/certificate/ports.ts';
import { serviceManagers } from '../../functions/system/services/ports.ts';
import { readiness } from '../../functions/system/status/ports.ts';
import { audio } from '../../functions/system/volume/ports.ts';
import { Alerts } from './alerts.ts';
import { logsFeed } from './feeds/logs.ts';
import { jointsFeed, stateFeed } from './feeds/robot-state.ts';
import { servicesFeed } from './feeds/services.ts';

/**
 * Starts what tells events besides the parts of the service themselves.
 * @returns stops it.
 */
export async function startProducers(hub: EventHub, ports: Ports): Promise<() => void> {
  const { SERVICE_MODE: mode, SERVICE_ALLOWED_UNITS: allowed } = ports.config;
  const link = await ports.get(robotLink);
  const managers = () => ports.get(serviceManagers);
  hub.provide('state', stateFeed({ robotLink: link, events: hub, mode, audio: () => ports.get(audio) }));
  hub.provide('joints', jointsFeed({ robotLink: link, events: hub }));
  hub.provide('services', servicesFeed({ managers, allowed, events: hub }));
  hub.provide('logs', logsFeed({ managers, allowed, events: hub }));
  const alerts = new Alerts({
    checks: await ports.get(readiness),
    keys: await ports.get(keyStore),
    servedTls: await ports.get(servedTls),
    events: hub,
    clock: ports.clock,
  });
  return () => alerts.close();
}
