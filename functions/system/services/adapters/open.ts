import type { Config } from '../../../shared/config.ts';
import type { ServiceManagers } from '../port.ts';

/** Simulated in sim mode, systemd in robot mode. Each is only loaded if it is used. */
export async function openServiceManagers(config: Config, clock: () => number): Promise<ServiceManagers> {
  if (config.SERVICE_MODE === 'sim') return (await import('./simulated.ts')).simulatedServices(clock);
  return (await import('./systemd-managers.ts')).systemdManagers(config);
}
