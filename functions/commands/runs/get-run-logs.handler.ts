import { Readable } from 'node:stream';
import { ServiceError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { eventStream } from '../../shared/pipeline/event-stream.ts';
import { logForm } from '../../shared/pipeline/log-form.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { runs } from '../../shared/runs/ports.ts';
import { RunLogs } from '../../shared/runs/run.schema.ts';
import { followLog } from '../../shared/runs/run-log.ts';
import { RunLogsHeaders, RunLogsQuery, RunPath } from './runs.schema.ts';

/** GET /api/v2/runs/{run_id}/logs: what a run has printed. Who started it, and ADMIN. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Read the output of a run, or follow it',
  description:
    'The newest 1 MiB. JSON, or one line per entry with `Accept: text/plain`. With `follow=true` all of it and new lines as server-sent events, each a JSON RunLogEntry, until the run ends; an event `end` closes them. For the client that started the run, and for ADMIN.',
  input: { path: RunPath, query: RunLogsQuery, headers: RunLogsHeaders },
  output: { json: RunLogs, mediaTypes: ['text/plain', 'text/event-stream'] },
  uses: { runs },
  errors: ['not_found', 'insufficient_access', 'component_unavailable'],
}).handler(async ({ caller, valid, endWithToken }, { runs }) => {
  const run = runs.get(valid.path.run_id);
  if (!run.isPrivyTo(caller)) {
    throw new ServiceError('insufficient_access', {
      detail: 'Only the client that started a run, and ADMIN, see its log.',
    });
  }
  const form = logForm(valid.headers.accept, valid.query.follow);
  if (form === 'events') {
    const hungUp = new AbortController();
    const entries = Readable.from(followLog(run.log, hungUp.signal));
    entries.once('close', () => hungUp.abort());
    await endWithToken(entries);
    return new Reply(eventStream(entries, undefined, 'The run has ended.'), { 'content-type': 'text/event-stream' });
  }
  const { truncated } = run.record();
  const entries = run.log.entries();
  if (form === 'json') return Reply.json({ entries, truncated }, { vary: 'accept' });
  const text = entries.map(({ timestamp, stream, message }) => `${timestamp} ${stream} ${message}\n`).join('');
  return new Reply(text, { 'content-type': 'text/plain; charset=utf-8', vary: 'accept' });
});
