import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, sharedBrowser } from '../../support/console-world.ts';
import { freePort } from '../../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import { until } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/world.ts';

const UNCONFIRMED = 'Not confirmed: use the hardware stop.';

describeWith('Chromium', CHROMIUM, 'The console of a service that is killed and started again', () => {
  const home = temporaryFolder();
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let browser: Browser;

  async function signedIn(): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${service.url}/#drive`);
    await page.getByLabel('API key').fill(service.key ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Take control' }).click();
    await page.getByRole('button', { name: 'Release control' }).waitFor();
    return page;
  }
  const says = (page: Page, text: string) => page.locator('.stop-bar').getByText(text).waitFor();

  beforeAll(async () => {
    settings = { HOME: home, SERVICE_PORT: String(await freePort()), SERVICE_STOP_PORT: '0' };
    service = await startProcess(settings);
    await until('the first key', () => service.key !== undefined);
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    for (const context of browser.contexts()) await context.close();
    await service.end();
  });

  it('greys what is old with its age, ends the drive and all controls, says what is not confirmed, and comes back', async () => {
    const page = await signedIn();
    const forward = page.getByRole('button', { name: 'Forward' });
    const take = page.getByRole('button', { name: 'Take control' });
    const keyed = page.getByLabel('x (m)');
    await keyed.fill('0.25');
    await forward.hover();
    await page.mouse.down();
    await page.locator('.hold.held').waitFor();
    await service.end('SIGKILL');
    await page.locator('main.stale').waitFor();
    await page.getByText(/Values are \d+ s old/).waitFor();
    await until('nothing can be driven', () => forward.isDisabled());
    await page.mouse.up();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await says(page, UNCONFIRMED);
    await says(page, 'still sending');
    await until('nothing can be written', () =>
      page
        .locator('main button:enabled')
        .count()
        .then((count) => count === 0),
    );
    service = await startProcess(settings);
    await page.locator('main.stale').waitFor({ state: 'detached' });
    await says(page, 'Confirmed: the robot stopped');
    expect(await keyed.inputValue()).toBe('0.25');
    await until('control can be taken again', () => take.isEnabled());
    await take.click();
    await page.getByRole('button', { name: 'Release control' }).waitFor();
    expect(await page.locator('.hold.held').count()).toBe(0);
  });
});
