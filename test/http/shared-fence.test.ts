import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect, it } from '@jest/globals';
import { arrivalStamp, Fence } from '../../functions/shared/control/fence.ts';
import { FenceFile } from '../../local-host/guard/fence-file.ts';
import { GuardStops } from '../../local-host/guard/guard-stops.ts';
import { InFlight } from '../../local-host/http/in-flight.ts';
import { refusal } from '../support/errors.ts';
import { ROOT } from '../support/sources.ts';
import { silentLogger, temporaryFolder } from '../support/world.ts';

it('refuses motion in this process after another process has raised its word', async () => {
  const path = join(temporaryFolder(), 'fence');
  const fence = new Fence();
  const file = new FenceFile(path, 'main');
  const parts = {
    file,
    fence,
    logger: silentLogger,
    holdMs: 0,
    monotonic: () => performance.now(),
    arrivals: new InFlight(),
  };
  fence.shareWith(new GuardStops({ ...parts, isGuardThere: () => true, onStop: () => undefined }));
  const guard = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'test/support/raise-guard-word.ts'), path], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(guard.stdout, 'data');
    const before = arrivalStamp();
    fence.admit(before);
    guard.stdin.write('stop\n');
    await once(guard.stdout, 'data');
    // Nothing else tells this process: the word is read when the motion is about to be sent.
    expect((await refusal(() => fence.admit(before))).code).toBe('stopped');
  } finally {
    const gone = once(guard, 'exit');
    guard.kill();
    await gone;
  }
});
