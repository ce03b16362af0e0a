import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { type GuardedService, startGuardedBridge } from '../support/guarded-service.ts';
import { until } from '../support/processes.ts';
import { startPython } from '../support/python-client.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';

const MAPPING = `ros: 2
stop: { service: [{ name: /halt, success: $answer.ok }] }
commands: {}
`;
const PROGRAM = `
import asyncio, os, signal
from robot_rest import connect

async def main():
    asked = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, asked.set)
    async with connect(os.environ["ROBOT"], token=os.environ["TOKEN"]) as robot:
        print("ready", flush=True)
        await asked.wait()
        print((await robot.stop()).stopped, flush=True)
        os._exit(0)  # the stop that was sent to the frozen service is not waited for

asyncio.run(main())
`;

describe('While the service is frozen, a stop is confirmed by its guard to', () => {
  let standIn: RosbridgeStandIn;
  let service: GuardedService;
  let halts = 0;

  beforeAll(async () => {
    standIn = await RosbridgeStandIn.start();
    standIn.services.set('/halt', () => {
      halts += 1;
      return { ok: true };
    });
    service = await startGuardedBridge(standIn.url, MAPPING);
  });
  afterEach(() => {
    service.main.child.kill('SIGCONT');
  });
  afterAll(async () => {
    await service.main.end('SIGTERM');
    await standIn.close();
  });

  it('the TypeScript client', async () => {
    const robot = await connect(service.main.url, { token: service.token });
    service.main.child.kill('SIGSTOP');
    const before = halts;
    expect(await robot.stop()).toMatchObject({ stopped: true, fenced: false, by: 'guard' });
    expect(halts).toBeGreaterThan(before);
    robot.close();
  });

  it('the Python client', async () => {
    const { child, said, ended } = startPython(['-c', PROGRAM], { ROBOT: service.main.url, TOKEN: service.token });
    await until('it is connected', () => said.stdout === 'ready\n');
    service.main.child.kill('SIGSTOP');
    const before = halts;
    child.kill('SIGUSR1');
    expect(await ended).toMatchObject({ code: 0, stdout: 'ready\nTrue\n' });
    expect(halts).toBeGreaterThan(before);
  });
});
