import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { keyStore } from '../../../functions/shared/identity/ports.ts';
import { give } from '../../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../../support/auth.ts';
import { describeWhen } from '../../support/components.ts';
import { CHROMIUM, sharedBrowser } from '../../support/console-world.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../../support/mosquitto.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const present = [CHROMIUM, MOSQUITTO].every((path) => existsSync(path));

describeWhen(present, 'Chromium or mosquitto is not installed', 'The console of a fleet', () => {
  let broker: TestBroker;
  let host: TestService;
  let robot: TestService;
  let browser: Browser;
  beforeAll(async () => {
    broker = await startMosquitto();
    const relay = { SERVICE_ROBOT_ID: 'robot-1', SERVICE_RELAY_URL: broker.url('robot-1') };
    robot = await startTestService({ settings: relay });
    host = await startTestService({
      settings: { SERVICE_ROBOT_URL: broker.url('service'), SERVICE_ROBOT_ID: 'hall' },
      given: [give(keyStore, new FakeKeyStore([keyRecord('admin', 'ADMIN')]))],
    });
    await until('the robot is there', async () => {
      const { robots } = (await host.as('ADMIN', '/api/v2/robots/')).json;
      return robots.length === 1;
    });
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    for (const context of browser.contexts()) await context.close();
    await Promise.all([robot, host].map((service) => service.stop()));
    await broker.kill();
  });

  it('shows one robot and stops it, without what only the robot itself has', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${host.url}/robot-1/rest/`);
    await page.getByLabel('API key').fill('rk_admin');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.getByText('robot-1').first().waitFor();
    await robot.as('ADMIN', '/api/v2/commands/go_to_relative/', { method: 'POST', body: { value: { x: 5 } } });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Confirmed: the robot stopped').waitFor();
    expect((await robot.as('USER', '/api/v2/get/get_pose')).json.result.moving).toBe(false);
    await page.locator('main:not(.stale)').waitFor();
    await until('the badge of control is gone', async () => (await page.getByText('Control:').count()) === 0);
    await page.getByRole('link', { name: 'Drive' }).click();
    await page.getByRole('button', { name: 'Take control' }).click();
    await page.getByRole('alert').getByText('only reachable at the robot itself').waitFor();
    await page.getByRole('link', { name: 'Commands' }).click();
    await page.getByRole('button', { name: /get_language$/ }).click();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.chosen').getByText('done').waitFor();
    expect(asked.filter((path) => !path.startsWith('/robot-1/rest/'))).toEqual([]);
  });
});
