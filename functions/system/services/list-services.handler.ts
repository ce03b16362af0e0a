import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { config } from '../../shared/ports.ts';
import { serviceManagers } from './ports.ts';
import { ServicesList } from './services.schema.ts';
import { listServices } from './services.ts';

/** GET /api/{version}/service/get_services_list: the allowed units of head and base. ENCHANTER or ADMIN. */
export const handler = endpoint({
  access: OPERATORS,
  summary: 'List the allowed services of head and base',
  description: 'Only units that SERVICE_ALLOWED_UNITS covers appear.',
  output: ServicesList,
  uses: { config, serviceManagers },
}).handler(({ signal }, { config, serviceManagers }) =>
  listServices(serviceManagers, config.SERVICE_ALLOWED_UNITS, signal),
);
