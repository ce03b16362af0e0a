import { revocations } from '../shared/identity/ports.ts';
import { endpoint } from '../shared/pipeline/endpoint.ts';
import { LoggedOut } from './auth.schema.ts';

/** POST /api/v2/auth/logout: ends every token of the caller's client id, except for stop. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  perRobot: true,
  summary: 'End every token of this client',
  description:
    'Every token of the same client id is refused from now on, also after a restart; stop still takes them. Stream servers, which verify tokens themselves, take one until it expires. No body.',
  output: LoggedOut,
  uses: { revocations },
  errors: ['busy', 'storage_full', 'component_unavailable'],
}).handler(async ({ caller, record }, { revocations }) => {
  record('token.logout', {});
  await revocations.logOut(caller);
  return { client_id: caller.clientId, logged_out: true };
});
