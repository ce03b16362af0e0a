import type { JogController } from '../../control/jog-controller.ts';
import { LEASE_CLOSE_MS } from '../../control/lease.ts';
import type { LeaseRegister } from '../../control/lease-register.ts';
import { Declined, Replaced, type RobotAnswer, type RobotCommand, type RobotLink, type SendOptions } from '../port.ts';
import { confirmedStop } from './confirmed-stop.ts';
import { passThrough } from './pass-through.ts';

/**
 * A link over which only the holder of the lease can move the robot, while there is one. All commands go through here,
 * and manual driving through the jog controller. `send` also throws what {@link LeaseRegister.admit} throws.
 */
export function controlled(link: RobotLink, leases: LeaseRegister, jogs: JogController): RobotLink {
  jogs.controls(() => link.jog?.());

  function send(command: RobotCommand, options: SendOptions): RobotAnswer | Promise<RobotAnswer> {
    const motion = command.arrivedAt !== undefined;
    const spec = link.catalogue().get(command.command);
    leases.admit({
      lease: command.lease,
      clientId: command.sender.clientId,
      motion,
      outlivesLease: spec?.on_lapse === 'finish',
    });
    if (!motion) return link.send(command, options);
    const inPlaceOfJog = jogs.giveWay(spec?.replaces === true);
    const answer = link.send(command, options);
    const complete = (answered: RobotAnswer) => {
      if (inPlaceOfJog) return replaced(answered);
      jogs.giveWay(false);
      return answered;
    };
    return answer instanceof Promise ? answer.then(complete) : complete(answer);
  }

  const stop = confirmedStop(link, (begunAt) => leases.stopConfirmed(begunAt));

  return {
    ...passThrough(link, { send, stop }),
    jog: () => undefined,
    async close() {
      jogs.close();
      await leases.close(LEASE_CLOSE_MS);
      await link.close();
    },
  };
}

/** A declined command has replaced nothing. */
function replaced(answer: RobotAnswer): RobotAnswer {
  return answer instanceof Replaced || answer instanceof Declined ? answer : new Replaced(answer);
}
