import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab, textOf } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';
import { ROOT } from '../../support/sources.ts';

const LEVELS = ['user', 'admin', 'enchanter'] as const;

/** Whether there is something on each canvas of a chart. */
const DRAWN = `[...document.querySelectorAll('.plot canvas')].map((one) =>
  one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some((value) => value !== 0))`;

describeWith('Chromium', CHROMIUM, 'The overview of the console', () => {
  const world = new ConsoleWorld({ SERVICE_DESCRIPTION_DIR: join(ROOT, 'robot', 'description') });
  let tab: Tab;
  const shows = (text: string) => until(`it shows ${text}`, async () => (await textOf(tab)).includes(text));

  beforeAll(() => world.start());
  afterEach(async () => {
    const { offences } = tab;
    await world.closeTabs();
    expect(offences).toEqual([]);
  });
  afterAll(() => world.stop());

  it.each(LEVELS)('shows a USER and those above how the robot is, on a phone and a desk: %s', async (level) => {
    tab = await world.signIn(level);
    const { x } = await world.pose();
    const body = { value: { x: 0.02 } };
    await world.service.as('USER', '/api/v2/commands/go_to_relative/', { method: 'POST', body });
    await until('it has arrived', async () => !(await world.pose()).moving && (await world.pose()).x !== x);
    const there = (await world.pose()).x.toFixed(2);
    for (const [, viewport] of SIZES) {
      await tab.page.setViewportSize(viewport);
      await shows(level.toUpperCase());
      for (const text of ['Pip', 'Connected', 'Simulated', 'Control: free', 'Nothing needs attention.', 'All '])
        await shows(text);
      await shows(`${there} m`);
      for (const name of [
        /^Where the robot has been/,
        /^The battery since .*now \d+ %/,
        /^The heading since .*now -?\d+ °/,
        new RegExp(`^The position since .*now ${there} m`),
      ])
        await tab.page.getByRole('img', { name }).waitFor();
    }
  });

  it('shows values over time as a table, where a lost connection is a gap', async () => {
    tab = await world.signIn('user');
    await tab.page.getByRole('img', { name: /^The position since/ }).waitFor();
    const body = { value: { x: 0.2, y: 0.2 } };
    await world.service.as('USER', '/api/v2/commands/go_to_relative/', { method: 'POST', body });
    await tab.page.locator('.trail .path').waitFor(); // the way is drawn
    await tab.context.setOffline(true);
    await tab.page.getByRole('img', { name: /^The position .*now not known; not known for a while$/ }).waitFor();
    await tab.context.setOffline(false);
    await tab.page.getByRole('img', { name: /^The position .* m; not known for a while$/ }).waitFor();
    await tab.page.locator('summary', { hasText: 'As a table' }).first().focus();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('columnheader', { name: 'θ, °' }).waitFor();
    expect(await tab.page.evaluate(DRAWN)).toEqual([true, true, true]);
    const cells = await tab.page.locator('.values tbody tr').filter({ hasText: 'not known' }).allInnerTexts();
    expect(cells).toHaveLength(1);
  });

  it('draws the model of the robot, whose joints move as they do', async () => {
    tab = await world.signIn('user');
    await tab.page.locator('.model-place').scrollIntoViewIfNeeded();
    await tab.page.locator('.model canvas').waitFor();
    await tab.page.locator('.model[data-pose]').waitFor();
    const pose = () => tab.page.locator('.model').getAttribute('data-pose');
    const before = await pose();
    const body = { value: { x: 0.1 } };
    await world.service.as('USER', '/api/v2/commands/go_to_relative/', { method: 'POST', body });
    await until('its wheels turn', async () => (await pose()) !== before);
    expect(await textOf(tab)).not.toContain('could not be');
  });

  it('says so where the description of the robot cannot be drawn', async () => {
    tab = await world.open();
    await tab.page.route('**/api/v2/urdf/*?signed=true', (route) => route.fulfill({ json: { urdf: '<sdf/>' } }));
    await tab.page.getByLabel('API key').fill('rk_user');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.locator('.model-place').scrollIntoViewIfNeeded();
    await shows('The description of the robot could not be drawn.');
  });

  it('shows an engaged emergency stop, a robot that is away, and parts that are broken', async () => {
    tab = await world.signIn('user');
    await world.pretend(tab, { estop: 'engaged', robot: 'disconnected', robot_problem: 'No <b>link</b>.' });
    await tab.page.route('**/health/ready', (route) =>
      route.fulfill({ status: 503, json: { parts: { robot: { ok: false, reason: 'Look at its <i>plug</i>.' } } } }),
    );
    for (const text of ['E-stop engaged', 'Robot not connected', 'No <b>link</b>.', '1 part needs attention.'])
      await shows(text);
    await shows('Look at its <i>plug</i>.');
    await tab.page.getByRole('link', { name: 'Drive' }).click();
    expect(await tab.page.getByRole('button', { name: 'Take control' }).isDisabled()).toBe(true);
    expect(await tab.page.getByRole('button', { name: 'Stop', exact: true }).isEnabled()).toBe(true);
  });

  it('does not go on calling an emergency stop released, or control free, when nobody answers', async () => {
    tab = await world.signIn('user');
    await world.pretend(tab, { estop: 'released' });
    for (const text of ['E-stop released', 'Control: free', 'Nothing needs attention.']) await shows(text);
    await tab.page.route('**/status', (route) => route.abort());
    await shows('E-stop unknown');
    await tab.page.locator('.badge').filter({ hasText: 'Control: –unknown' }).waitFor();
    expect(await tab.page.getByText('Nothing needs attention.').count()).toBe(0);
    expect(await tab.page.getByText('E-stop released').count()).toBe(0);
  });
});
