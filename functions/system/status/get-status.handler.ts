import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { clock, config } from '../../shared/ports.ts';
import { currentStatus } from './current-status.ts';
import { disk, robotStanding, stopAddresses } from './ports.ts';
import { Status } from './status.schema.ts';

/** GET /status: whether the service is up and the robot connected. Public; clients poll it before they authenticate. */
export const handler = endpoint({
  access: 'public',
  perRobot: true,
  tokenOpensRobot: true,
  summary: 'Whether the service is up and the robot connected',
  description:
    'Under the path of a robot in a fleet, whether it is connected is only known to callers with a token for it; else `robot` is `unknown`.',
  output: Status,
  uses: { clock, config, disk, robotStanding, stopAddresses },
}).handler((_call, parts) => currentStatus(parts));
