import { Fence } from '../../functions/shared/control/fence.ts';
import { NO_EVENTS } from '../../functions/shared/events/events.port.ts';
import { NO_METRICS } from '../../functions/shared/observability/metrics.port.ts';
import type { Broker } from '../../functions/shared/robot-link/adapters/broker/broker.ts';
import { RemoteRobot } from '../../functions/shared/robot-link/adapters/mqtt/remote-robot.ts';
import { silentLogger } from './world.ts';

type Parts = ConstructorParameters<typeof RemoteRobot>[0];

/** The robot `robot-1` behind a fake of the broker. */
export function remoteRobot(broker: Partial<Record<keyof Broker, unknown>>, parts: Partial<Parts> = {}): RemoteRobot {
  return new RemoteRobot({
    robotId: 'robot-1',
    broker: () => broker as unknown as Broker, // as: the members that the test uses
    answers: 'robots/robot-1/answers/me',
    clock: Date.now,
    logger: silentLogger,
    metrics: NO_METRICS,
    fence: new Fence(),
    events: NO_EVENTS,
    listen: () => undefined,
    onClose: () => undefined,
    ...parts,
  });
}
