import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { config } from '../../shared/ports.ts';
import { LogsPath } from './logs.schema.ts';
import { serviceManagers } from './ports.ts';
import { restartUnit } from './restart.ts';
import { RestartedService } from './services.schema.ts';

/** POST /api/v2/service/{system}/{service_name}/restart: restarts a unit. ENCHANTER or ADMIN. */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'Restart a service',
  description:
    'Only units that SERVICE_RESTARTABLE_UNITS covers, and never this service or its guard. Answered with the state while it restarts: `get_services_list` and the topic `services` tell when it is active again. No body.',
  input: { path: LogsPath },
  output: RestartedService,
  accepted: true,
  audit: 'service.restart',
  uses: { config, serviceManagers },
  errors: ['unit_not_allowed', 'not_found', 'component_unavailable'],
}).handler(({ valid: { path }, signal, record }, { config, serviceManagers }) => {
  record('service.restart', { system: path.system.slice(0, 16), unit: path.service_name.slice(0, 256) });
  const unit = { system: path.system, unit: path.service_name };
  return restartUnit(serviceManagers, config.SERVICE_RESTARTABLE_UNITS, unit, signal);
});
