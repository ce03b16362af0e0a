import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { unavailable } from '../errors.ts';
import { actorOf } from '../events/events.port.ts';
import { events } from '../events/ports.ts';
import { keyStore } from '../identity/ports.ts';
import { stamp } from '../observability/audit-trail.port.ts';
import { auditTrail, metrics } from '../observability/ports.ts';
import { type Port, port } from '../port.ts';
import { Fence } from './fence.ts';
import type { JogSource } from './jog.ts';
import { JogController } from './jog-controller.ts';
import { LeaseRegister } from './lease-register.ts';
import { type MotionGuard, UNGUARDED } from './motion-guard.port.ts';

/** The fence of this machine's robot. Without a disk, in the cloud, its number is lost when the function ends. */
export const fence: Port<Fence> = /* @__PURE__ */ port('fence', async ({ config, logger }) => {
  if (config.inCloud) return new Fence();
  const { KeptNumbers } = await import('./adapters/kept-numbers.ts');
  return new Fence(await KeptNumbers.open(join(config.SERVICE_DATA_DIR, 'fence.json'), logger));
});

/** The guard of this machine's robot; provided by the host. Robots of a fleet have one of their own. */
export const motionGuard: Port<MotionGuard> = /* @__PURE__ */ port('motion guard', () => UNGUARDED);

/**
 * The lease on this machine's robot. Robots of a fleet have their own, which cannot be reached from here.
 * @throws ServiceError `component_unavailable` in a fleet and in the cloud.
 */
export const leases: Port<LeaseRegister> = /* @__PURE__ */ port('lease', async (ports) => {
  const { config, logger, clock } = ports;
  if (config.fleet || config.inCloud) throw unavailable('lease', 'It is only available on the robot itself.');
  const hub = await ports.get(events);
  const guard = await ports.get(motionGuard);
  return new LeaseRegister({
    fence: await ports.get(fence),
    logger,
    clock,
    monotonic: () => performance.now(),
    required: config.SERVICE_LEASE === 'required',
    userMaxMs: config.SERVICE_LEASE_USER_MAX_S * 1000,
    onChange(change, standing, holder) {
      if (change === 'taken' || change === 'lapsed') {
        hub.publish('safety', `lease_${change}`, { ...standing, by: actorOf(holder) });
      }
      hub.publish('lease', change, standing);
    },
    onMotion: () => guard.announce(),
  });
});

/**
 * Manual driving of this machine's robot. Only the start and end of a jog are audited, not every frame.
 * @throws ServiceError `component_unavailable` in a fleet and in the cloud.
 */
export const jogs: Port<JogController> = /* @__PURE__ */ port('jog', async (ports) => {
  const { config, logger, clock } = ports;
  const register = await ports.get(leases);
  const trail = await ports.get(auditTrail);
  const keys = await ports.get(keyStore);
  const counted = await ports.get(metrics);
  const audit = (action: string, { clientId, keyId, address, listener }: JogSource, subject: object) =>
    trail.append({
      ...stamp(clock()),
      action,
      subject: { ...subject },
      client_id: clientId,
      key_id: keyId,
      key_name: keys.findById(keyId)?.name ?? null,
      address,
      listener,
      outcome: 'ok',
      request_id: null,
    });
  return new JogController({
    leases: register,
    fence: await ports.get(fence),
    logger,
    monotonic: () => performance.now(),
    maxLinear: config.SERVICE_JOG_MAX_LINEAR,
    maxAngular: config.SERVICE_JOG_MAX_ANGULAR,
    guard: await ports.get(motionGuard),
    onFrame: (fate) => counted.jogFrame(fate),
    onBegin: (source) => audit('jog.begin', source, {}),
    onEnd(source, summary) {
      counted.jogEnd(summary.why);
      audit('jog.end', source, summary);
    },
  });
});
