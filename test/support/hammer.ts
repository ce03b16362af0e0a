import { setTimeout as pause } from 'node:timers/promises';
import { CommandDeadline } from '../../functions/commands/command-deadline.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { startMosquitto, type TestBroker } from './mosquitto.ts';
import { until } from './processes.ts';
import { joinBroker } from './relay.ts';
import { scriptedLink } from './robot.ts';
import { silentLogger, testConfig } from './world.ts';

/** One command, seen from both ends. */
export interface Shot {
  readonly deadline: number;
  /** When the robot ran it, each time it did. */
  readonly ranAt: number[];
  outcome?: 'ok' | ServiceError;
}

const PER_SECOND = 200;
const EVERY_MS = 10;
/** Between the robot's look at the clock and the run itself. */
const JUDGING_MS = 5;
const LIFE_MS = 800;

/**
 * Sends 200 commands a second to a robot behind a real broker, while `trouble` does to the broker what it likes; `answered` lets it
 * wait until a command is answered that was sent after the call. @returns every command once all of them have ended.
 */
export async function hammer(
  trouble: (broker: TestBroker, answered: () => Promise<unknown>) => Promise<void>,
): Promise<Shot[]> {
  const broker = await startMosquitto();
  const shots: Shot[] = [];
  const body = scriptedLink(({ value }) => {
    shots[Number(value)]?.ranAt.push(Date.now());
    return value ?? null;
  });
  const robot = joinBroker(broker.url('robot-1'), { link: body });
  const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
  const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
  await until(() => link.connected());
  const running: Promise<void>[] = [];
  const troubled = { over: false };
  const answered = () => {
    const from = shots.length;
    return until('a command is answered', () => shots.slice(from).some(({ outcome }) => outcome === 'ok'));
  };
  const working = trouble(broker, answered).finally(() => {
    troubled.over = true;
  });
  const started = Date.now();
  while (!troubled.over) {
    const due = ((Date.now() - started) * PER_SECOND) / 1000;
    while (running.length < due) running.push(shoot(link, shots));
    await pause(EVERY_MS);
  }
  await working;
  await Promise.all(running);
  await until('the last command is answered', async () => {
    await shoot(link, shots);
    return shots.at(-1)?.outcome === 'ok';
  });
  // What would be delivered late has had its time to arrive.
  await pause(LIFE_MS);
  await link.close();
  await robot.relay.close();
  await broker.kill();
  return shots;
}

async function shoot(link: RobotLink, shots: Shot[]): Promise<void> {
  const patience = new CommandDeadline(Date.now(), LIFE_MS);
  const shot: Shot = { deadline: patience.deadline, ranAt: [] };
  const value = shots.push(shot) - 1;
  const sender = { clientId: 'hammer', accessLevel: 'USER', keyId: 'k' } as const;
  try {
    const answer = await patience.wait(
      Promise.resolve().then(() => link.send({ command: 'a_int', value, sender }, patience)),
    );
    if (answer !== value) throw new Error(`the answer ${JSON.stringify(answer)} is another one's`);
    shot.outcome = 'ok';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    shot.outcome = error;
  }
}

/** What must hold whatever was done to the broker; an empty list is good. */
export function broken(shots: readonly Shot[]): string[] {
  return shots.flatMap(({ outcome, ranAt, deadline }, index) => {
    const faults: string[] = [];
    const tell = (fault: string) => faults.push(`${index}: ${fault}`);
    if (outcome === undefined) tell('never ended');
    if (ranAt.length > 1) tell('ran twice');
    if (ranAt.some((at) => at > deadline + JUDGING_MS)) tell('ran after its deadline');
    if (outcome === 'ok') return ranAt.length === 1 ? faults : [...faults, `${index}: answered and did not run`];
    const said = outcome?.members?.command_ran;
    if (outcome && !outcome.code.startsWith('robot_')) tell(outcome.code);
    if (said !== 'no' && said !== 'maybe') tell('does not say whether it ran');
    if (said === 'no' && ranAt.length > 0) tell('said not to have run, and ran');
    return faults;
  });
}
