import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';

describeWith('Chromium', CHROMIUM, 'Commands and missions in the console', () => {
  const world = new ConsoleWorld();
  const tabs: Tab[] = [];

  async function signIn(...given: Parameters<ConsoleWorld['signIn']>): Promise<Tab> {
    const tab = await world.signIn(...given);
    tabs.push(tab);
    return tab;
  }
  async function choose({ page }: Tab, name: string): Promise<void> {
    await page.getByLabel('Find a command').fill(name);
    await page.getByRole('button', { name: new RegExp(`\\b${name}$`) }).click();
    await page.locator('.chosen').getByText(name, { exact: true }).waitFor();
  }
  const says = ({ page }: Tab, text: string) => page.locator('.chosen .sent').getByText(text).first().waitFor();
  const run = ({ page }: Tab) => page.getByRole('button', { name: 'Run', exact: true }).click();

  beforeAll(() => world.start());
  afterEach(async () => {
    const offences = tabs.splice(0).flatMap((tab) => tab.offences);
    await world.closeTabs();
    await world.service.as('ADMIN', '/api/v2/stop', { method: 'POST' });
    expect(offences).toEqual([]);
  });
  afterAll(() => world.stop());

  it.each(SIZES)('sends a form made from the catalogue, and shows the answer, on %s', async (_name, viewport) => {
    const tab = await signIn('user', '/#commands', { viewport });
    await choose(tab, 'sound_level');
    await tab.page.getByLabel('Value %').fill('35');
    await run(tab);
    await says(tab, '"sound_level": 35');
    await choose(tab, 'go_to_relative');
    await tab.page.getByRole('button', { name: 'Fill in an example' }).click();
    await tab.page.getByLabel('x m', { exact: true }).fill('0.05');
    await run(tab);
    await says(tab, '"called": true');
    await choose(tab, 'play_sequence');
    await tab.page.getByLabel('Value one per line').fill('nod\nbow');
    await run(tab);
    await says(tab, '"called": true');
    await choose(tab, 'set_obstacle_avoidance');
    await tab.page.locator('.chosen select').selectOption({ label: 'no' });
    await run(tab);
    await says(tab, '"obstacle_avoidance": false');
    expect(await tab.page.locator('.history').first().locator('li').count()).toBe(4);
  });

  it("shows the service's own sentence for a value that does not fit, and its own for one that is none", async () => {
    const tab = await signIn('user', '/#commands');
    await choose(tab, 'sound_level');
    await tab.page.getByLabel('Value %').fill('900');
    await run(tab);
    await says(tab, 'must be between 0 and 100 %');
    await choose(tab, 'rune_association');
    await tab.page.getByLabel('Value as JSON').fill('{"rune":');
    await run(tab);
    await tab.page.getByRole('alert').getByText('This is not JSON.').waitFor();
    await tab.page.getByRole('link', { name: 'Overview' }).click();
    await tab.page.getByRole('link', { name: 'Commands' }).click();
    expect(await tab.page.getByLabel('Value as JSON').inputValue()).toBe('{"rune":');
  });

  it('shows what a robot declines, and hostile text in values and answers as text', async () => {
    const tab = await signIn('admin', '/#commands');
    const hostile = '<img src=x onerror=alert(1)>';
    await choose(tab, 'set_language');
    await tab.page.getByLabel('Value', { exact: true }).fill(hostile);
    await run(tab);
    await says(tab, hostile);
    await tab.page.locator('.history').nth(1).getByText(hostile).first().waitFor();
    expect(await tab.page.locator('img').count()).toBe(0);
  });

  it('starts a skill, shows the mission, and cancels it', async () => {
    const tab = await signIn('user', '/#commands');
    await tab.page.getByLabel('Skill').selectOption({ label: 'Do nothing for a while' });
    await tab.page.getByLabel(/^seconds/).fill('300');
    await tab.page.getByRole('button', { name: 'Start', exact: true }).click();
    await tab.page.getByText('yours').waitFor();
    await tab.page.getByRole('link', { name: 'Overview' }).click();
    await tab.page.getByRole('button', { name: 'Cancel wait' }).click();
    await tab.page.getByText('No mission is under way.').waitFor();
    await tab.page.getByRole('link', { name: 'Commands' }).click();
    await tab.page.locator('.outcome.cancelled').waitFor();
  });

  it('shows the commands of all clients to ADMIN and above, and not to USER', async () => {
    const admin = await signIn('admin', '/#commands');
    await admin.page.getByText('No command since this page was opened.').waitFor();
    const user = await signIn('user', '/#commands');
    expect(await user.page.getByText('Commands of all clients').count()).toBe(0);
    await choose(user, 'set_language');
    await user.page.getByLabel('Value', { exact: true }).fill('fr');
    await run(user);
    await says(user, 'done');
    const seen = admin.page.locator('.history').nth(1);
    await seen.getByText('set_language').waitFor();
    expect(await seen.innerText()).toContain('user');
  });

  it('sends nothing that moves the robot twice when the answer is lost', async () => {
    const tab = await signIn('user', '/#commands');
    let sent = 0;
    await tab.page.route('**/commands/go_to_relative/', async (route) => {
      sent += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await choose(tab, 'go_to_relative');
    await tab.page.getByLabel('x m', { exact: true }).fill('0.05');
    await run(tab);
    await says(tab, 'The connection to the service was lost.');
    await until('the robot has arrived', async () => !(await world.pose()).moving);
    expect(sent).toBe(1);
  });
});
