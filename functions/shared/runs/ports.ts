import { join } from 'node:path';
import { unavailable } from '../errors.ts';
import { events } from '../events/ports.ts';
import { stamp } from '../observability/audit-trail.port.ts';
import { auditTrail } from '../observability/ports.ts';
import { type Port, port } from '../port.ts';
import type { OpenRunDoor } from './run-door.port.ts';
import { Runs } from './runs.ts';
import type { SandboxProbe } from './sandbox.port.ts';
import { NO_SKILLS, type SkillSources } from './skill-source.port.ts';

/** The enabled skills of this machine; provided by the host. */
export const skillSources: Port<SkillSources> = /* @__PURE__ */ port('skill sources', () => NO_SKILLS);

/** How a run reaches the robot; provided by the host. */
export const runDoor: Port<OpenRunDoor> = /* @__PURE__ */ port('run door', () => async () => {
  throw unavailable('runs', 'They are only available on the robot itself.');
});

/** How long it is believed that there is no sandbox, in ms. */
const PROBE_AGAIN_MS = 30_000;

/** What keeps skills from the rest of the machine, found out when it is first asked for, and again if it is missing. */
export const sandboxProbe: Port<() => Promise<SandboxProbe>> = /* @__PURE__ */ port('skill sandbox', (ports) => {
  const { config, logger } = ports;
  let probed: Promise<SandboxProbe> | undefined;
  const probe = async () => {
    const { probeSandbox } = await import('./adapters/sandbox/open.ts');
    const found = await probeSandbox(config, logger);
    if ('problem' in found) {
      setTimeout(() => {
        probed = undefined;
      }, PROBE_AGAIN_MS).unref();
    }
    return found;
  };
  return () => {
    probed ??= probe();
    return probed;
  };
});

/**
 * The runs of this machine. Robots of a fleet have their own.
 * @throws ServiceError `component_unavailable` in a fleet and in the cloud.
 */
export const runs: Port<Runs> = /* @__PURE__ */ port(
  'runs',
  async (ports) => {
    const { config, logger, clock } = ports;
    if (config.fleet || config.inCloud) throw unavailable('runs', 'They are only available on the robot itself.');
    const { RunFiles } = await import('./adapters/store/files.ts');
    const { DiskReserve } = await import('../kit/files/disk-reserve.ts');
    const trail = await ports.get(auditTrail);
    return Runs.open({
      clock,
      logger,
      events: await ports.get(events),
      store: new RunFiles(join(config.SERVICE_DATA_DIR, 'runs'), new DiskReserve(config.SERVICE_MIN_FREE), logger),
      sources: await ports.get(skillSources),
      probe: await ports.get(sandboxProbe),
      openDoor: await ports.get(runDoor),
      concurrency: config.SERVICE_SKILL_CONCURRENCY,
      auditEnd: (run) =>
        trail.append({
          ...stamp(clock()),
          action: 'run.end',
          subject: { run: run.id, skill: run.skill, function: run.function, state: run.state },
          client_id: run.ownerId,
          key_id: run.startedBy.key_id,
          key_name: null,
          address: '',
          listener: 'command',
          outcome: run.error?.code ?? 'ok',
          request_id: null,
        }),
    });
  },
  (opened) => opened.close(),
);
