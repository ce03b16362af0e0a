import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { runReadmeSession, SESSION_PRINTS } from '../support/readme-session.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const home = temporaryFolder();
let service: ServiceProcess;
beforeAll(async () => {
  service = await startProcess({ HOME: home });
});
afterAll(() => service.end());

/** A folder that looks like the project's, so that the session leaves no file in the real one. */
function likeTheProject(): string {
  const folder = temporaryFolder();
  for (const name of readdirSync(ROOT)) symlinkSync(join(ROOT, name), join(folder, name));
  return folder;
}

describe('The curl session of the README', () => {
  it('works verbatim, except for the address of the service', async () => {
    const cwd = likeTheProject();
    const stdout = await runReadmeSession(service, home, cwd);
    for (const text of SESSION_PRINTS) expect(stdout).toContain(text);
    expect(readdirSync(cwd).filter((name) => name.endsWith('.txt'))).toEqual([]);
  });
});
