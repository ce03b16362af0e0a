import { unavailable } from '../../shared/errors.ts';
import { type Port, port } from '../../shared/port.ts';
import type { IncidentSources } from './port.ts';

/** What an incident bundle is made of; provided by the host. */
export const incidentSources: Port<IncidentSources> = /* @__PURE__ */ port('incident sources', () => {
  throw unavailable('incident bundle', 'It is only available on the robot itself.');
});
