import { ServiceError } from '../errors.ts';
import { shortClientId } from '../events/events.port.ts';
import type { Lease } from './lease.ts';

const HOW_TO_TAKE =
  'Wait until it is returned, or take it with POST /api/v2/lease/take (access level ADMIN), which stops the robot.';

/** The holder of a lease as others see it. */
export function publicHolder({ holder, since, expiresAt }: Omit<Lease, 'id'>) {
  return {
    username: holder.username ?? null,
    key_name: holder.keyName,
    client: shortClientId(holder.clientId),
    since: new Date(since).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

/** `lease_held`: the lease is fresh, and the command did not have its id. @param clientId the sender. */
export function leaseHeld(lease: Lease, clientId?: string): ServiceError {
  const { holder } = lease;
  const detail =
    holder.clientId === clientId
      ? 'Your client holds the lease, but this command did not have its id: send its id in the header Lease.'
      : `${holder.username ?? holder.keyName} controls the robot. ${HOW_TO_TAKE}`;
  return new ServiceError('lease_held', { detail, members: { holder: publicHolder(lease), command_ran: 'no' } });
}

/** `lease_lost`: no fresh lease has this id. @param current the fresh lease, if there is one. */
export function leaseLost(current: Lease | undefined, clientId?: string): ServiceError {
  const way =
    current === undefined
      ? 'If it was yours and has lapsed, PUT /api/v2/lease/{lease_id} revives it under a new id until somebody else acquires it; otherwise acquire one with POST /api/v2/lease/.'
      : current.holder.clientId === clientId
        ? 'Your client holds a newer lease: use its id.'
        : HOW_TO_TAKE;
  return new ServiceError('lease_lost', {
    detail: `There is no fresh lease with this id. ${way}`,
    members: { holder: current ? publicHolder(current) : null, command_ran: 'no' },
  });
}

/** `lease_lost`: the lease changed hands while the command was waiting. */
export function leaseChanged(): ServiceError {
  return new ServiceError('lease_lost', {
    detail: 'The lease on the robot has changed since this command arrived. The command did not run; send it again.',
    members: { holder: null, command_ran: 'no' },
  });
}

/** `lease_required`: the service is configured to move the robot only for the holder of a lease. */
export function leaseRequired(): ServiceError {
  return new ServiceError('lease_required', {
    detail:
      'This robot moves only for the holder of its lease (SERVICE_LEASE). Acquire it with POST /api/v2/lease/, and send its id in the header Lease.',
    members: { command_ran: 'no' },
  });
}

/** `lease_required`: jog always needs a lease, whatever the settings. */
export function jogNeedsLease(): ServiceError {
  return new ServiceError('lease_required', {
    detail:
      'Jog needs a lease. Acquire it with POST /api/v2/lease/, and send its id in the member "lease" of each frame.',
    members: { command_ran: 'no' },
  });
}

/** `busy`: the stop of the last holder's motion is not confirmed yet. */
export function stopUnconfirmed(): ServiceError {
  return new ServiceError('busy', {
    detail:
      'The robot has not confirmed the stop that ends the motion of its previous controller. The stop is being repeated, and motion is refused until it is confirmed. POST /api/v2/stop shows how the robot responds.',
    members: { command_ran: 'no' },
  });
}

/** `busy`: after a stall it is unknown whether a command is recent or was sent long ago. */
export function heldUp(): ServiceError {
  return new ServiceError('busy', {
    detail:
      'The service was stalled for longer than the time to live of the lease, so this command may be old. Keep the lease (PUT /api/v2/lease/{lease_id}), then send the command again.',
    members: { command_ran: 'no' },
  });
}
