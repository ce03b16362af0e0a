import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ServiceError } from '../errors.ts';
import type { RunPipeline } from './answer.ts';
import type { HostFacts } from './exchange.ts';
import { problem } from './render-error.ts';

const ROBOT_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Where the route itself does not name the parameter: `ANY /{proxy+}`. */
const PATH = /^\/([^/]+)\/rest(?:\/|$)/;

/**
 * The host's facts for the robot of a fleet that the path names, `/{robot_id}/rest/…`; no header can name one. A path
 * without one is for the fleet as a whole.
 */
export function addressRobot(
  host: HostFacts,
  event: APIGatewayProxyEventV2,
  proxied: boolean,
): HostFacts | RunPipeline {
  const robotId = event.pathParameters?.robot_id ?? (proxied ? PATH.exec(event.rawPath)?.[1] : undefined);
  if (robotId === undefined) return host;
  return ROBOT_ID.test(robotId) ? { ...host, ports: host.ports.forRobot(robotId) } : noSuchRobot;
}

const noSuchRobot: RunPipeline = async (_event, { exchange }) => {
  exchange.errorCode = 'not_found';
  return problem(
    new ServiceError('not_found', { detail: 'The path names no robot: an id has 1 to 64 of A-Z a-z 0-9 _ -.' }),
    exchange.requestId,
  );
};
