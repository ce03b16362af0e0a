import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../support/console-world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const VIEWS = ['Overview', 'Drive', 'Commands'];
const LOOKS = SIZES.flatMap(([name, viewport]) =>
  (['light', 'dark'] as const).map((colorScheme) => [name, colorScheme, { viewport, colorScheme }] as const),
);

/** Rules that the page breaks, and where. */
async function violations({ page }: Tab): Promise<unknown> {
  const run = `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html + failureSummary)]))`;
  return page.evaluate(run);
}

/** What can be pressed and is smaller than a finger. */
const SMALL = `[...document.querySelectorAll('a, button, select, input:not([type=radio])')]
  .filter((one) => one.checkVisibility())
  .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44)
  .map(([html]) => html)`;

describeWith('Chromium', CHROMIUM, 'The console, for everybody', () => {
  const world = new ConsoleWorld();
  beforeAll(() => world.start());
  afterAll(() => world.stop());

  it.each(LOOKS)('breaks no rule of accessibility on %s, %s', async (_size, _scheme, look) => {
    const tab = await world.open('/', look);
    await tab.page.evaluate(AXE);
    await tab.page.getByLabel('API key').waitFor();
    expect(['Sign in', await violations(tab)]).toEqual(['Sign in', []]);
    await tab.page.getByLabel('API key').fill('rk_admin');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    for (const view of VIEWS) {
      await tab.page.getByRole('link', { name: view }).click();
      await tab.page.getByRole('heading', { level: 1, name: view }).waitFor();
      if (view === 'Drive') await tab.page.getByRole('button', { name: 'Take control' }).click();
      if (view === 'Drive') await tab.page.getByRole('button', { name: 'Release control' }).waitFor();
      if (view === 'Commands') await tab.page.getByRole('button', { name: /sound_level$/ }).click();
      if (view === 'Commands') await tab.page.getByRole('button', { name: 'Run', exact: true }).click();
      expect([view, await violations(tab)]).toEqual([view, []]);
      expect([view, await tab.page.evaluate(SMALL)]).toEqual([view, []]);
      if (view === 'Drive') await tab.page.getByRole('button', { name: 'Release control' }).click();
    }
    await tab.context.setOffline(true);
    await tab.page.locator('main.stale').waitFor();
    await tab.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await tab.page.getByRole('alert').getByText('Not confirmed').waitFor();
    expect(['offline', await violations(tab)]).toEqual(['offline', []]);
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
