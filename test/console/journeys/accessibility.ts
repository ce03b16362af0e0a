import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab, VIEWS } from '../../support/console-world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const LOOKS = SIZES.flatMap(([name, viewport]) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ look: `${name}, ${colorScheme}`, viewport, colorScheme })),
);

/** Rules that the page breaks, and where. */
async function violations({ page }: Tab): Promise<unknown> {
  const run = `axe.run({ runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html + failureSummary)]))`;
  return page.evaluate(run);
}

/** What each view has to show when it is used. */
const USES: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  Drive: ['Take control', 'Release control'],
  Commands: [/sound_level$/, 'Run'],
  Skills: ['New skill'],
  Database: ['Add a row', 'Delete all rows…'],
  Network: ['Join Workshop'],
  Services: ['Restart robot-nav.service'],
  Keys: ['Show a code'],
  Backups: ['Take a snapshot now', /^Restore snapshot/],
};

/** Presses the buttons of a view; the last one of Drive only has to be there. */
async function use({ page }: Tab, view: string): Promise<void> {
  await page.locator('main .card').first().waitFor();
  for (const name of USES[view] ?? []) {
    const button = page.getByRole('button', { name, exact: true }).first();
    await (name === 'Release control' ? button.waitFor() : button.click());
  }
  if (view === 'Overview') await page.getByText('As a table').first().click();
  if (view === 'Keys') await page.getByRole('img', { name: 'QR code' }).waitFor();
}

/** What can be pressed and is smaller than a finger. */
const SMALL = `[...document.querySelectorAll('a, button, summary, select, input:not([type=radio], [type=checkbox], [type=file])')]
  .filter((one) => one.checkVisibility())
  .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44)
  .map(([html]) => html)`;

/** What is wrong with what is shown, on each size and in each scheme. */
async function faults(tab: Tab): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const { look, viewport, colorScheme } of LOOKS) {
    await tab.page.setViewportSize(viewport);
    await tab.page.emulateMedia({ colorScheme });
    found[look] = [await violations(tab), await tab.page.evaluate(SMALL)];
  }
  return found;
}

const NONE = Object.fromEntries(LOOKS.map(({ look }) => [look, [[], []]]));

describeWith('Chromium', CHROMIUM, 'The console, for everybody', () => {
  const world = new ConsoleWorld();
  beforeAll(async () => {
    await world.start();
    const body = { tablename: 'known_locations_table', item: { id: 'hall' } };
    await world.service.as('USER', '/api/v2/database/add_item/', { method: 'POST', body });
  });
  afterAll(() => world.stop());

  it('breaks no rule of accessibility on a phone or a desk, light or dark', async () => {
    const tab = await world.open();
    await tab.page.evaluate(AXE);
    await tab.page.getByLabel('API key').waitFor();
    expect(['Sign in', await faults(tab)]).toEqual(['Sign in', NONE]);
    await tab.page.getByLabel('API key').fill('rk_enchanter');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    for (const view of VIEWS) {
      await world.visit(tab, view);
      await use(tab, view);
      expect([view, await faults(tab)]).toEqual([view, NONE]);
      if (view === 'Drive') await tab.page.getByRole('button', { name: 'Release control' }).click();
    }
    await tab.context.setOffline(true);
    await tab.page.locator('main.stale').waitFor();
    await tab.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await tab.page.getByRole('alert').getByText('Not confirmed').waitFor();
    expect(['offline', await faults(tab)]).toEqual(['offline', NONE]);
    await world.closeTabs();
  });

  it('names each view by its fragment, with one landmark of links and one heading', async () => {
    const tab = await world.signIn('user', '/#drive');
    expect(await tab.page.locator('nav').count()).toBe(1);
    expect(await tab.page.locator('h1').allInnerTexts()).toEqual(['Drive']);
    await tab.page.getByRole('link', { name: 'Overview' }).click();
    expect(new URL(tab.page.url()).hash).toBe('#overview');
    await tab.page.goBack();
    await tab.page.getByRole('heading', { level: 1, name: 'Drive' }).waitFor();
    expect(await tab.page.evaluate('document.activeElement.tagName')).toBe('H1');
    await world.closeTabs();
  });
});
