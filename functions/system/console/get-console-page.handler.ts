import { noSuchRoute } from '../../shared/errors.ts';
import { mediaRanges } from '../../shared/pipeline/accept.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { config } from '../../shared/ports.ts';
import { PageHeaders } from './console.schema.ts';
import { consolePage, pagePolicy } from './console-page.ts';
import { consoleFiles, stopPorts } from './ports.ts';

/** GET /: the console of the robot, for an Accept that names text/html; else 404. Public. */
export const handler = endpoint({
  access: 'public',
  anyQuery: true,
  perRobot: true,
  summary: 'The console, a page for people',
  description: 'Only with an `Accept` that names `text/html`, as browsers send it.',
  input: { headers: PageHeaders },
  output: { mediaTypes: ['text/html'] },
  errors: ['not_found'],
  uses: { config, consoleFiles, stopPorts },
}).handler(({ rawPath, valid }, { config, consoleFiles, stopPorts }) => {
  const { accept, host } = valid.headers;
  if (!mediaRanges(accept).some(({ type, weight }) => type === 'text/html' && weight > 0)) {
    throw noSuchRoute({ vary: 'Accept' });
  }
  // The robots of a fleet have cameras of their own.
  const videoUrl = config.fleet ? undefined : config.SERVICE_VIDEO_URL;
  return new Reply(consolePage(rawPath, consoleFiles.entry, videoUrl), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': pagePolicy(host, stopPorts(), videoUrl),
    'referrer-policy': 'no-referrer',
    vary: 'Accept',
  });
});
