import { OPERATORS } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { eventStream } from '../../shared/pipeline/event-stream.ts';
import { logForm } from '../../shared/pipeline/log-form.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { clock, config } from '../../shared/ports.ts';
import { jsonLogs, textLogs } from './log-streams.ts';
import { LogsHeaders, LogsPath, LogsQuery, ServiceLogs } from './logs.schema.ts';
import { followLogs, readLogs } from './logs.ts';
import { serviceManagers } from './ports.ts';

/** GET /api/{version}/service/{system}/{service_name}: a service's logs, of the last hour unless a window is given. ENCHANTER or ADMIN. */
export const handler = endpoint({
  access: OPERATORS,
  summary: "Read a service's logs, or follow them",
  description:
    'The last hour, or a window from `since` to `until`, or with `cursor` what follows an earlier answer. ' +
    'JSON, or one line per entry with `Accept: text/plain`. With `follow=true` new entries as server-sent events ' +
    '(`text/event-stream`), each a JSON LogEntry, until the client leaves, its token ends, or 30 minutes have passed; ' +
    'an Accept header that contradicts the query is 422. A unit without unit file and journal entries is 404.',
  input: { path: LogsPath, query: LogsQuery, headers: LogsHeaders },
  output: { json: ServiceLogs, mediaTypes: ['text/plain', 'text/event-stream'] },
  answerHeaders: ['X-Truncated'],
  uses: { clock, config, serviceManagers },
  errors: ['unit_not_allowed', 'not_found', 'component_unavailable', 'busy'],
}).handler(async ({ valid, signal, endWithToken }, { clock, config, serviceManagers }) => {
  const { path, query, headers } = valid;
  const request = { system: path.system, unit: path.service_name, query, signal };
  const form = logForm(headers.accept, query.follow);
  if (form === 'events') {
    const entries = await followLogs(serviceManagers, config.SERVICE_ALLOWED_UNITS, request);
    await endWithToken(entries);
    return new Reply(eventStream(entries), { 'content-type': 'text/event-stream' });
  }
  const { head, entries } = await readLogs(serviceManagers, config.SERVICE_ALLOWED_UNITS, request, clock());
  const vary = { vary: 'accept', 'x-truncated': String(head.truncated) };
  if (form === 'text') return new Reply(textLogs(entries), { 'content-type': 'text/plain; charset=utf-8', ...vary });
  return new Reply(jsonLogs(head, entries), { 'content-type': 'application/json', ...vary });
});
