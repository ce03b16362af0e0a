import type { Message } from '../../functions/shared/robot-link/adapters/broker/message.ts';
import { RobotReports } from '../../functions/shared/robot-link/adapters/mqtt/robot-reports.ts';
import type { ReportBranch } from '../../functions/shared/robot-link/adapters/mqtt/topics.ts';
import { read, testConsumer, testHub } from './event-hub.ts';
import { countedRefusals } from './refusals.ts';

/** What a robot says, as its reports show it, and the events that follow from it. */
export function reportingRobot() {
  const { hub } = testHub();
  const { mailbox } = testConsumer();
  hub.subscribe(mailbox, [hub.channel('missions', 'USER')]);
  read(mailbox);
  const { refusals, counts, lines } = countedRefusals(() => performance.now());
  const listening: boolean[] = [];
  const reports = new RobotReports({
    robotId: 'robot-1',
    events: hub,
    refusals,
    listen: (now) => void listening.push(now),
  });
  const say = (branch: ReportBranch, said: unknown) => {
    const payload = Buffer.from(typeof said === 'string' ? said : JSON.stringify(said));
    const message: Message = {
      topic: `robots/robot-1/${branch}`,
      payload,
      correlation: undefined,
      responseTopic: undefined,
      expirySeconds: undefined,
    };
    reports.take(branch, message);
  };
  let seq = 0;
  const tell = (event: string, more: object = {}) => {
    seq += 1;
    say('events', { v: 1, seq, event: `mission_${event}`, mission: 'm1', ...more });
  };
  const told = () =>
    read(mailbox).map(({ event }) => ({ type: event.type.slice('robot.missions.'.length), ...event.data }));
  const snapshot = () => {
    const other = testConsumer().mailbox;
    hub.subscribe(other, [hub.channel('missions', 'USER')]);
    return read(other).find(({ type }) => type === 'snapshot')?.data.missions;
  };
  return { reports, say, tell, told, snapshot, counts, lines, listening, skip: (by: number) => (seq += by) };
}
