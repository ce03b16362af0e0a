/**
 * The ports that every part of the service may use. The others are in the `ports.ts` of their owner: a feature, or a
 * folder of shared/. Each recipe chooses an implementation from the configuration and imports it when it is first used,
 * so that a bundled function carries only the adapters of the ports it names.
 */

import type { Config } from './config.ts';
import { WriteGate } from './kit/write-gate.ts';
import type { Logger } from './observability/logger.ts';
import { type Port, port } from './port.ts';

/** The frozen configuration, for handlers that answer from it. */
export const config: Port<Config> = /* @__PURE__ */ port('configuration', (ports) => ports.config, undefined, {
  perRobot: true,
});

/** Now, in ms since the epoch. */
export const clock: Port<() => number> = /* @__PURE__ */ port('clock', (ports) => ports.clock);

/** What every write to the robot's skills, description and language model goes through. */
export const writeGate: Port<WriteGate> = /* @__PURE__ */ port('write gate', () => new WriteGate());

/** The service's log. */
export const logger: Port<Logger> = /* @__PURE__ */ port('log', (ports) => ports.logger);
