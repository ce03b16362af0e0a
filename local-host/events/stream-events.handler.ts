import type { AccessLevel } from '../../functions/shared/access.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import type { EventHub } from '../../functions/shared/events/hub.ts';
import { StreamToken } from '../../functions/shared/identity/stream-token.ts';
import { bearerToken } from '../../functions/shared/pipeline/bearer-token.ts';
import { endpoint } from '../../functions/shared/pipeline/endpoint.ts';
import { Reply } from '../../functions/shared/pipeline/reply.ts';
import { EventStreamBody } from './event-stream-body.ts';
import { eventStreams, tokens } from './ports.ts';
import { openEvents } from './robot-events.ts';
import { EventsHeaders, EventsQuery } from './stream-events.schema.ts';

/** GET /api/v2/events: events of the robot and of the service, as a stream. Any token; some topics need more. */
export const handler = endpoint({
  access: 'any-token',
  perRobot: true,
  summary: 'Receive events',
  description:
    'Server-sent events: CloudEvents 1.0 in JSON, and events named `subscribed`, `snapshot`, `gap` and `error`. The stream ends with the token. ' +
    'A WebSocket on the same path does the same; `/asyncapi.json` describes its messages, and the events of each topic.',
  input: { query: EventsQuery, headers: EventsHeaders },
  output: { mediaTypes: ['text/event-stream'] },
  errors: ['insufficient_access', 'unit_not_allowed', 'busy', 'component_unavailable'],
  uses: { openEvents, streams: eventStreams, tokens },
}).handler(async ({ valid, signal, caller }, { openEvents, streams, tokens }) => {
  const { topics } = valid.query;
  const token = await StreamToken.accept(tokens, bearerToken(valid.headers.authorization));
  const after = valid.headers['last-event-id'];
  const { hub, release } = await openEvents(caller.keyId);
  try {
    for (const name of topics) assertTopic(hub, name, caller.accessLevel);
    const body = new EventStreamBody({ streams, hub, token, topics, after, signal });
    body.once('close', release);
    return new Reply(body, { 'content-type': 'text/event-stream' });
  } catch (error) {
    release();
    throw error;
  }
});

/** Topics that are only available elsewhere are not an error of the request; the stream reports them. @throws ServiceError. */
function assertTopic(hub: EventHub, name: string, level: AccessLevel): void {
  try {
    hub.channel(name, level);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'component_unavailable')) throw error;
  }
}
