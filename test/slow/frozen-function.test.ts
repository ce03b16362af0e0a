import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { formatPem, newKey } from '../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { Ports } from '../../functions/shared/port.ts';
import { keyRecord } from '../support/auth.ts';
import { describeWith } from '../support/components.ts';
import { MOSQUITTO, startMosquitto } from '../support/mosquitto.ts';
import { joinBroker } from '../support/relay.ts';
import { ROOT } from '../support/sources.ts';
import { silentLogger, temporaryFolder, testConfig } from '../support/world.ts';

/** Longer than the broker waits for a sign of life: 1.5 times the keep-alive of 10 s. */
const FROZEN_MS = 20_000;

describeWith('mosquitto', MOSQUITTO, 'A cloud function', () => {
  it('answers the next request after it was frozen until the broker dropped it', async () => {
    const broker = await startMosquitto();
    const robot = joinBroker(broker.url('robot-1'));
    const settings = {
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_ROBOT_URL: broker.url('service', '/robot-1'),
      SERVICE_JWT_SIGNING_KEY: formatPem([newKey()]),
      SERVICE_API_KEYS: JSON.stringify({ keys: [keyRecord('k1', 'USER')] }),
    };
    const minting = new Ports({ config: testConfig(settings), logger: silentLogger });
    const grant = { accessLevel: 'USER', keyId: 'k1', mayPublish: false } as const;
    const { token } = await (await minting.get(tokens)).mint(grant);
    const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'test/support/cloud-process.ts')], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: temporaryFolder(), ...settings },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    const ask = async (): Promise<string> => {
      const answered = once(lines, 'line');
      child.stdin.write(`${token}\n`);
      return String((await answered)[0]);
    };
    expect(await ask()).toBe('200 en');
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, FROZEN_MS));
    child.kill('SIGCONT');
    expect(await ask()).toBe('200 en');
    child.kill('SIGKILL');
    await minting.close();
    await robot.relay.close();
    await broker.kill();
  });
});
