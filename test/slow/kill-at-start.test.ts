import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { ageLock } from '../support/locks.ts';
import { freshEnvironment, launch, runToEnd, startProcess } from '../support/process.ts';
import { until, untilExists } from '../support/processes.ts';
import { temporaryFolder } from '../support/world.ts';

const ROUNDS = 14;

/** Small, fixed, and spread: the same moments in every run. */
function moment(round: number): number {
  return 60 + ((round * 37) % 29) * 15;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function leftoversIn(home: string): string[] {
  const kept = join(home, '.robot-rest');
  return existsSync(kept) ? readdirSync(kept).filter((name) => name.includes('tmp')) : [];
}

/** Leftovers beyond the first of each file. */
function surplusIn(home: string): string[] {
  const files = leftoversIn(home).map((name) => name.replace(/\.[^.]*\.tmp$/, ''));
  return files.filter((file, index) => files.indexOf(file) !== index);
}

describe('kill -9 at any moment', () => {
  it('during start leaves keys, key file and socket usable for the next start', async () => {
    await runToEnd(['api-key', 'list'], freshEnvironment());
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = temporaryFolder();
      const environment = freshEnvironment({ HOME: home });
      for (const again of [0, 1]) {
        const { child } = launch([], environment);
        await pause(moment(round + 7 * again));
        child.kill('SIGKILL');
        await once(child, 'close');
        // One of each file at most, whatever earlier kills have left.
        expect([round, surplusIn(home)]).toEqual([round, []]);
      }
      const keys = join(home, '.robot-rest', 'api-keys.json');
      if (round > 0) ageLock(keys); // the first one is waited for, if it was left
      const service = await startProcess(environment);
      const auth = await http(service.socketPath, '/api/v2/auth/');
      const headers = { authorization: `Bearer ${auth.json.token}` };
      expect([round, (await http(service.url, '/api/v2/commands/', { headers })).status]).toEqual([round, 200]);
      await until('the service is ready', async () => (await http(service.url, '/health/ready')).status === 200);
      await untilExists(keys);
      await service.end();
      const kept = join(home, '.robot-rest');
      expect(statSync(join(kept, 'jwt-signing-key.pem')).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(keys, 'utf8')) as unknown).toBeTruthy();
      expect([round, leftoversIn(home)]).toEqual([round, []]);
    }
  });

  it('during the api-key command loses no key that it has printed', async () => {
    const environment = freshEnvironment();
    const keys = join(environment.HOME ?? '', '.robot-rest', 'api-keys.json');
    const printed: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child, said } = launch(['api-key', 'create', '--name', `round-${round}`, '--level', 'USER'], environment);
      // The last one is killed as soon as it has printed its key, however busy the machine is.
      if (round === ROUNDS - 1) await until('it has printed', () => said.stdout.endsWith('\n'));
      else await pause(moment(round));
      child.kill('SIGKILL');
      await pause(5);
      if (said.stdout.endsWith('\n')) printed.push(said.stdout.trim());
      ageLock(keys);
    }
    const service = await startProcess(environment);
    for (const key of printed) {
      expect((await http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': key } })).status).toBe(200);
    }
    expect(printed.length).toBeGreaterThan(0);
    expect(existsSync(keys)).toBe(true);
    await service.end();
  });
});
