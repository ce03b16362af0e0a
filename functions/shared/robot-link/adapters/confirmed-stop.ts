import { arrivalStamp } from '../../control/fence.ts';
import type { RobotLink, StopReport } from '../port.ts';

/** The stop of a link, which also tells `onConfirmed` when (`arrivalStamp`) a confirmed stop was begun. */
export function confirmedStop(link: RobotLink, onConfirmed: (begunAt: number) => void): RobotLink['stop'] {
  return (options, sender) => {
    const begunAt = arrivalStamp();
    const confirm = (report: StopReport) => {
      onConfirmed(begunAt);
      return report;
    };
    const report = link.stop(options, sender);
    return report instanceof Promise ? report.then(confirm) : confirm(report);
  };
}
