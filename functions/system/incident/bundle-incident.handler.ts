import { OPERATORS } from '../../shared/access.ts';
import { packArchive } from '../../shared/archive/pack.ts';
import { VERSION } from '../../shared/build-info.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { clock, config } from '../../shared/ports.ts';
import { IncidentRequest } from './incident.schema.ts';
import { incidentMembers, requestedLogs, windowOf } from './incident.ts';
import { incidentSources } from './ports.ts';

/** POST /api/v2/incident/: what happened, in one file for somebody else to read. ENCHANTER or ADMIN. */
export const handler = endpoint({
  access: OPERATORS,
  input: { body: IncidentRequest.optional() },
  bodyOptional: true,
  output: { mediaTypes: ['application/gzip'] },
  summary: 'Bundle what is known of an incident',
  description:
    'A `.tar.gz` with the logs of head and base merged by time, status, readiness, metrics, catalogue, lease, runs, settings, versions and clocks, for the support of a maker. Secrets are masked as far as they can be recognized. A part that fails is named in `incident.json`, the last file, and the rest is there.',
  audit: 'incident.bundle',
  uses: { incidentSources, config, clock },
  errors: ['unit_not_allowed', 'component_unavailable'],
}).handler(({ valid: { body = {} }, signal, record }, { incidentSources, config, clock }) => {
  const { since = null, until = null, units = null } = body;
  record('incident.bundle', { since, until, units });
  const now = new Date(clock());
  const wanted = { logs: requestedLogs(incidentSources, body.units), window: windowOf(body, now.getTime()) };
  const about = { robot_id: config.SERVICE_ROBOT_ID, version: VERSION };
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  return new Reply(packArchive(incidentMembers(incidentSources, about, wanted, { now, signal })), {
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="incident-${config.SERVICE_ROBOT_ID}-${stamp}.tar.gz"`,
    'cache-control': 'no-store',
  });
});
