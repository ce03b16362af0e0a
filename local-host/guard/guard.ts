import { rmSync } from 'node:fs';
import type { Config } from '../../functions/shared/config.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import { Acts } from './acts.ts';
import { FenceFile } from './fence-file.ts';
import { openGuardFolder } from './guard-folder.ts';
import { guardedRobot } from './guarded-robot.ts';
import { HandedIdentity } from './handed-identity.ts';
import { Holds } from './holds.ts';
import { HostChannel } from './host-channel.ts';
import { openStopLink } from './stop-link.ts';
import { StopListeners } from './stop-listeners.ts';
import { Stopper } from './stopper.ts';
import { warmUp } from './warm-up.ts';

/** How long a guard outlives the service that has started it. */
const ORPHAN_MS = 5_000;
/** How often the shared file is looked at: it may have been replaced. */
const FILE_CHECK_MS = 100;

interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  /** The service that has started it, without which it ends; undefined: it stays. */
  readonly hostPid: number | undefined;
  /** Ends the process. */
  readonly exit: (code: number) => void;
}

/** The guard guards another service already. */
export class GuardInUse extends Error {}

/**
 * Stops the robot when the service cannot: serves stop over a link of its own, and stops motion whose holder is gone.
 * @throws GuardInUse; ConfigError; system errors.
 */
export async function startGuard({ config, logger, hostPid, exit }: Parts): Promise<void> {
  const files = openGuardFolder(config);
  const file = new FenceFile(files.fence, 'guard');
  let orphaned: NodeJS.Timeout | undefined;
  let listeners: StopListeners | undefined;
  const acts = new Acts((act) => channel.tellAct(act));
  const identity = new HandedIdentity({ config, logger, clock: Date.now, path: files.identity });
  const link = await openStopLink(config, logger);
  const tellHost: HostChannel['tell'] = (word, sender, waitMs) => channel.tell(word, sender, waitMs);
  const stopper = new Stopper({ config, logger, link, file, acts, tellHost });
  const held = new Holds((kind, why) => stopper.end(kind, why));
  const channel: HostChannel = new HostChannel(files.socket, guardedRobot(config), {
    connected() {
      clearTimeout(orphaned);
      acts.tellAgain();
    },
    identity: (handed) => identity.take(handed),
    holds: (holds) => held.take(holds),
    heard: (id) => acts.heard(id),
    gone(planned) {
      logger.warn({ planned }, 'the service has gone');
      if (planned) held.take([]);
      else held.hostDied();
      if (hostPid !== undefined) waitForHost(planned ? 0 : ORPHAN_MS);
    },
    takenOver() {
      logger.info('the guard of a new service takes over');
      end();
    },
    outdated() {
      logger.warn('the service has other settings for the robot than this guard, which makes way for a new one');
      end();
    },
  });
  if (!(await channel.open(hostPid))) throw new GuardInUse('A guard of another service is running.');
  setInterval(() => file.reopen(), FILE_CHECK_MS);
  if (hostPid !== undefined && !channel.hasHost) waitForHost(2 * ORPHAN_MS);

  await relayStops(config, logger, stopper);
  await warmUp(config, files.folder).catch((error: unknown) => {
    logger.warn({ err: error }, 'cannot warm up: the first stop will take a little longer');
  });
  listeners = new StopListeners({ config, logger, identity, stopper }, files.folder, (serving) =>
    channel.serve(serving),
  );
  await listeners.open();

  function end(): void {
    closeAll();
    setImmediate(() => exit(0));
  }

  /** The files of its sockets go with it. */
  function closeAll(): void {
    listeners?.close();
    channel.close();
  }

  function waitForHost(ms: number): void {
    clearTimeout(orphaned);
    orphaned = setTimeout(() => {
      closeAll();
      rmSync(files.identity, { force: true });
      if (config.SERVICE_GUARD_DIR === undefined) rmSync(files.folder, { recursive: true, force: true });
      exit(0);
    }, ms);
  }
}

/** Only a robot that is reached through a broker loads what that takes. */
async function relayStops(config: Config, logger: Logger, stopper: Stopper): Promise<void> {
  if (config.SERVICE_RELAY_URL === undefined) return;
  const { takeRelayedStops } = await import('./relayed-stops.ts');
  takeRelayedStops(config, logger, stopper);
}
