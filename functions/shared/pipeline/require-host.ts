import { ServiceError } from '../errors.ts';
import { robotsOnly } from '../identity/api-key-gate.ts';
import type { KeyStore } from '../identity/key-store.port.ts';
import { keyStore } from '../identity/ports.ts';
import type { Resolved } from '../port.ts';
import type { PipelineRequest } from './exchange.ts';

const USES = { keyStore };

/**
 * In a fleet, what concerns the host itself is not reached through the path of a robot, nor with an API key that is
 * limited to robots. Errors: component_unavailable, insufficient_access.
 */
export function requireHost({ context: { exchange } }: PipelineRequest): void | Promise<void> {
  const { ports } = exchange.host;
  if (ports.robotId !== undefined) {
    throw new ServiceError('component_unavailable', {
      detail: `This is only reachable at the robot itself: here it would act on the host of the fleet and not on the robot "${ports.robotId}".`,
      headers: { 'retry-after': '3600' },
    });
  }
  const { caller, spec } = exchange;
  if (!ports.config.fleet || !caller || spec.anyRobot) return;
  return assertUnlimited(ports.resolve(USES), caller.keyId);
}

async function assertUnlimited(
  resolved: Resolved<typeof USES> | Promise<Resolved<typeof USES>>,
  keyId: string,
): Promise<void> {
  assertReachesHost((await resolved).keyStore, keyId);
}

/** @throws ServiceError `insufficient_access` for an API key that is limited to robots: it reaches no host of a fleet. */
export function assertReachesHost(keyStore: KeyStore, keyId: string): void {
  const robots = keyStore.findById(keyId)?.robots;
  if (robots) throw robotsOnly(robots);
}
