import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, sharedBrowser } from '../../support/console-world.ts';
import { type GuardedService, startGuardedBridge } from '../../support/guarded-service.ts';
import { RosbridgeStandIn } from '../../support/rosbridge-server.ts';

const MAPPING = `ros: 2
stop: { service: [{ name: /halt, success: $answer.ok }] }
commands: {}
`;

describeWith('Chromium', CHROMIUM, 'The console of a service with a guard', () => {
  let standIn: RosbridgeStandIn;
  let service: GuardedService;
  let browser: Browser;
  let halts = 0;

  beforeAll(async () => {
    standIn = await RosbridgeStandIn.start();
    standIn.services.set('/halt', () => {
      halts += 1;
      return { ok: true };
    });
    service = await startGuardedBridge(standIn.url, MAPPING, {
      SERVICE_PORT: '0',
      SERVICE_STOP_PORT: '0',
    });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    for (const context of browser.contexts()) await context.close();
    service.main.child.kill('SIGCONT');
    await service.main.end('SIGTERM');
    await standIn.close();
  });

  it('stops the robot through the guard while the service is frozen', async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(service.main.url);
    await page.getByLabel('API key').fill(service.main.key ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Not a certified emergency stop.').waitFor();
    service.main.child.kill('SIGSTOP');
    await page.getByText('No answer for').first().waitFor();
    const before = halts;
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText(/Confirmed: the robot stopped at .*, through the guard/).waitFor();
    expect(halts).toBeGreaterThan(before);
    expect(complaints).toEqual([]);
  });
});
