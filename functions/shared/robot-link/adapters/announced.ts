import { actorOf, type Events } from '../../events/events.port.ts';
import { asServiceError } from '../../pipeline/render-error.ts';
import type { RobotCommand, RobotLink, Sender, SendOptions, StopReport } from '../port.ts';
import { passThrough } from './pass-through.ts';

/** A link whose stops are told, with who asked for them and whether the robot confirmed. */
export function announced(link: RobotLink, events: Events): RobotLink {
  function stop(options: SendOptions, sender?: Sender): StopReport | Promise<StopReport> {
    const by = sender ? actorOf(sender) : null;
    const confirmed = (report: StopReport): StopReport => {
      events.publish('safety', 'stop_confirmed', { by, cancelled_missions: report.cancelled_missions ?? null });
      return report;
    };
    const notConfirmed = (error: unknown): never => {
      events.publish('safety', 'stop_not_confirmed', { by, code: asServiceError(error).code });
      throw error;
    };
    const requested = () => events.publish('safety', 'stop_requested', { by });
    let answer: StopReport | Promise<StopReport>;
    try {
      answer = link.stop(options, sender); // first of all: it raises the fence
    } catch (error) {
      requested();
      return notConfirmed(error);
    }
    requested();
    return answer instanceof Promise ? answer.then(confirmed, notConfirmed) : confirmed(answer);
  }

  return passThrough(link, {
    send: (command: RobotCommand, options: SendOptions) => link.send(command, options),
    stop,
  });
}
