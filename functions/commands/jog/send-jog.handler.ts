import { JogReply } from '../../shared/control/jog.schema.ts';
import { jogs } from '../../shared/control/ports.ts';
import { ServiceError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { asServiceError } from '../../shared/pipeline/render-error.ts';
import { robotLink } from '../../shared/robot-link/ports.ts';
import { AnyJogFrame } from './jog.schema.ts';

/** POST /api/v2/jog/: drives the robot manually. Any valid token of the client that holds the lease. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Drive the robot by hand',
  description:
    'A velocity that is valid until its deadline; if the next one does not arrive by then, the robot is sent zero velocity. Requires the lease, and keeps it. Every response, even to a refused frame, has a `stamp` for the next frame to echo. The WebSocket takes the same frames with less delay.',
  input: { body: AnyJogFrame },
  commandBody: true,
  output: JogReply,
  unordered: true,
  frequent: true,
  uses: { jogs, robotLink },
  errors: [
    'lease_required',
    'lease_held',
    'lease_lost',
    'precondition_failed',
    'stopped',
    'estop_engaged',
    'busy',
    'robot_unavailable',
    'component_unavailable',
    'storage_full',
  ],
}).handler(({ caller, valid: { body }, address, listener, arrivedAt }, { jogs }) => {
  const { clientId, keyId } = caller;
  const { error, ...reply } = jogs.take(body, { clientId, keyId, address, listener }, arrivedAt);
  if (error === undefined) return reply;
  const { code, message: detail, errors, headers, members, cause } = asServiceError(error);
  throw new ServiceError(code, {
    detail,
    headers,
    members: { ...members, seq: reply.seq, stamp: reply.stamp },
    ...(errors ? { errors } : {}),
    ...(cause === undefined ? {} : { cause }),
  });
});
