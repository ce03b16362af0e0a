import { Readable } from 'node:stream';
import type { Caller } from '../../shared/access.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { runs } from '../../shared/runs/ports.ts';
import { RunList } from '../../shared/runs/run.schema.ts';
import type { RunEntry } from '../../shared/runs/run-entry.ts';

/** GET /api/v2/runs/: the last 100 runs. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'List the last 100 runs of skills, newest first',
  output: RunList,
  uses: { runs },
  errors: ['component_unavailable'],
}).handler(({ caller }, { runs }) => {
  return new Reply(Readable.from(inPieces(runs.list(), caller)), { 'content-type': 'application/json' });
});

/** One by one: all arguments and results together may be 13 MB, which would hold up a stop. */
async function* inPieces(all: readonly RunEntry[], caller: Caller): AsyncGenerator<string> {
  yield '{"runs":[';
  let separator = '';
  for (const run of all) {
    yield separator + JSON.stringify(run.seenBy(caller));
    separator = ',';
  }
  yield ']}';
}
