import { type Port, port } from '../../shared/port.ts';
import type { ServiceManagers } from './port.ts';

/** The services of head and base, and their logs. */
export const serviceManagers: Port<ServiceManagers> = /* @__PURE__ */ port(
  'service managers',
  async ({ config, clock }) => {
    const { openServiceManagers } = await import('./adapters/open.ts');
    return openServiceManagers(config, clock);
  },
  (managers) => managers.close(),
);
