import { isStill } from '../../control/jog-velocity.ts';
import type { Jog, JogFrame, RobotCommand, RobotLink, SendOptions } from '../port.ts';
import { confirmedStop } from './confirmed-stop.ts';
import { type EmergencyStopParts, EmergencyStopWatch } from './emergency-stop-watch.ts';
import { passThrough } from './pass-through.ts';

/**
 * A link that refuses motion unless the robot's emergency stop is released; stop, queries, cancels and zero velocity
 * pass. Motion also throws what {@link EmergencyStopWatch.assertReleased} throws.
 */
export function emergencyStopped(link: RobotLink, parts: Omit<EmergencyStopParts, 'link'>): RobotLink {
  const watch = new EmergencyStopWatch({ link, ...parts });

  function send(command: RobotCommand, options: SendOptions) {
    if (command.arrivedAt !== undefined) watch.assertReleased();
    return link.send(command, options);
  }

  const stop = confirmedStop(link, (begunAt) => watch.stopConfirmed(begunAt));

  /** If the link is down, it reports that itself; the missing state is only a consequence. */
  function assertReleased(): void {
    if (link.connected()) watch.assertReleased();
  }

  function jog(): Jog | undefined {
    const robot = link.jog?.();
    if (!robot) return undefined;
    const { watchdogMs, maxLinear, maxAngular } = robot;
    return {
      watchdogMs,
      maxLinear,
      maxAngular,
      send(frame: JogFrame) {
        if (!isStill(frame.velocity)) assertReleased();
        robot.send(frame);
      },
      makeWay(signal: AbortSignal) {
        assertReleased();
        return robot.makeWay(signal);
      },
    };
  }

  return {
    ...passThrough(link, { send, stop }),
    jog,
    async close() {
      watch.close();
      await link.close();
    },
  };
}
