import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ServiceError } from '../errors.ts';
import { type HostFacts, seenWith } from './exchange.ts';

const ROBOT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The host's facts for the robot that the path names, `/{robot_id}/rest/…`; no header can name one. A path without one
 * means the robot SERVICE_ROBOT_ID. The caller is a visitor there until a token was accepted. Functions that only deal
 * with tokens know no link, and so serve every robot.
 */
export function addressRobot(host: HostFacts, event: APIGatewayProxyEventV2): HostFacts {
  const robotId = event.pathParameters?.robot_id;
  if (robotId === undefined) return host;
  if (!ROBOT_ID.test(robotId)) return seenWith(host, { fault: noRobot('An id has 1 to 64 of A-Z a-z 0-9 _ -.') });
  const { fleet, inCloud, SERVICE_ROBOT_URL, SERVICE_ROBOT_ID } = host.ports.config;
  if (fleet || SERVICE_ROBOT_URL === undefined) {
    // A function in the cloud serves one route only: the one of /status would never see a token.
    return seenWith(host, { ports: host.ports.forRobot(robotId, inCloud) });
  }
  if (robotId === SERVICE_ROBOT_ID) return host;
  return seenWith(host, { fault: noRobot('This service serves one robot only.') });
}

function noRobot(why: string): ServiceError {
  return new ServiceError('not_found', { detail: `The path names no robot of this service. ${why}` });
}
