import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import ssh2 from 'ssh2';
import { collect } from '../../../../functions/shared/kit/child-process/run.ts';
import type { Machine } from '../../../../functions/system/services/adapters/machine.ts';
import { sshMachine } from '../../../../functions/system/services/adapters/ssh.ts';
import { temporaryFolder, testConfig } from '../../../support/world.ts';

const hostKey = ssh2.utils.generateKeyPairSync('ed25519');
let machine: Machine;

/** A base computer whose commands are over before their client can have heard that they began. */
const base = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
  client.on('error', () => undefined).on('authentication', (attempt) => attempt.accept());
  client.on('session', (acceptSession) => {
    acceptSession().on('exec', (acceptCommand) => {
      const channel = acceptCommand();
      channel.write('said\n');
      channel.stderr.write('trouble\n');
      channel.exit(3);
      channel.end();
    });
  });
});

beforeAll(async () => {
  const keyPath = join(temporaryFolder(), 'id');
  writeFileSync(keyPath, ssh2.utils.generateKeyPairSync('ed25519').private, { mode: 0o600 });
  await new Promise<void>((resolve) => base.listen(0, '127.0.0.1', resolve));
  const settings = {
    SERVICE_MODE: 'robot',
    SERVICE_BASE_HOST: '127.0.0.1',
    SERVICE_BASE_PORT: String((base.address() as AddressInfo).port), // as: a TCP server has no other kind of address
    SERVICE_BASE_USER: 'robot',
    SERVICE_BASE_KEY_PATH: keyPath,
    SERVICE_BASE_HOST_KEY: hostKey.public,
  };
  machine = sshMachine(testConfig(settings));
});
afterAll(async () => {
  machine.close();
  await new Promise<void>((resolve) => base.close(() => resolve()));
});

it('reads the exit code and output of commands that end at once', async () => {
  const run = async () =>
    collect(await machine.start(['true'], { signal: new AbortController().signal, timeLimit: 10_000 }), 'true');
  const ends = await Promise.all(Array.from({ length: 5 }, run));
  expect(ends).toEqual(Array(5).fill({ code: 3, stdout: 'said\n', stderr: 'trouble' }));
});
