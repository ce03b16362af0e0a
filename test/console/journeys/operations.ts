import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Download } from 'playwright-core';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab, textOf, VIEWS } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';

const LINKS = {
  user: ['Overview', 'Drive', 'Commands', 'Skills', 'Database', 'Sound', 'Keys'],
  admin: [
    'Overview',
    'Drive',
    'Commands',
    'Skills',
    'Database',
    'Network',
    'Sound',
    'Logs',
    'Services',
    'Keys',
    'Backups',
  ],
  enchanter: VIEWS,
} as const;

describeWith('Chromium', CHROMIUM, 'Daily work in the console', () => {
  const world = new ConsoleWorld();
  const tabs: Tab[] = [];
  async function signIn(...given: Parameters<ConsoleWorld['signIn']>): Promise<Tab> {
    const tab = await world.signIn(...given);
    tabs.push(tab);
    return tab;
  }
  const button = ({ page }: Tab, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const says = ({ page }: Tab, text: string | RegExp) => page.locator('main').getByText(text).first().waitFor();

  beforeAll(() => world.start());
  afterEach(async () => {
    const offences = tabs.splice(0).flatMap((tab) => tab.offences);
    await world.closeTabs();
    expect(offences).toEqual([]);
  });
  afterAll(() => world.stop());

  it.each(['user', 'admin', 'enchanter'] as const)(
    'offers %s the views in which that level may do something',
    async (level) => {
      const tab = await signIn(level, '/#audit');
      const links = tab.page.getByRole('navigation', { name: 'Views' }).getByRole('link');
      expect(await links.allInnerTexts()).toEqual(LINKS[level]);
      const shown = level === 'enchanter' ? 'Audit' : 'Overview';
      await tab.page.getByRole('heading', { level: 1, name: shown }).waitFor();
    },
  );

  it('says so when a view cannot be loaded, and loads it once it can', async () => {
    const tab = await signIn('user');
    await tab.page.route('**/console/sound-*.js', (route) => route.abort());
    await world.visit(tab, 'Sound');
    await says(tab, 'could not be loaded');
    await tab.page.unroute('**/console/sound-*.js');
    await button(tab, 'Try again').click();
    await tab.page.getByRole('slider', { name: 'Volume' }).waitFor();
    tab.offences.splice(0); // the request that was cut off
  });

  describe.each(SIZES)('on %s', (_size, viewport) => {
    it('sets the volume, and shows what others set', async () => {
      const tab = await signIn('user', '/#sound', { viewport });
      const volume = async () => (await world.service.as('USER', '/api/v2/volume/')).json.percentage.value;
      await tab.page.getByRole('slider', { name: 'Volume' }).fill('35');
      await until('it is set', async () => (await volume()) === 35);
      await button(tab, 'Louder').click();
      await until('it is louder', async () => (await volume()) === 40);
      await button(tab, 'Mute').click();
      await says(tab, 'Muted: nothing is heard');
      await button(tab, 'Unmute').click();
      await button(tab, 'Mute').waitFor();
      const body = { percentage: { value: 12 } };
      await world.service.as('ADMIN', '/api/v2/volume/', { method: 'POST', body });
      await says(tab, '12 %');
    });

    it('restarts a service after a question, and shows how it comes back', async () => {
      const tab = await signIn('admin', '/#services', { viewport });
      await button(tab, 'Restart robot-nav.service').click();
      await says(tab, 'robot-nav.service ends and starts again');
      await button(tab, 'Cancel').click();
      await button(tab, 'Restart robot-nav.service').click();
      await button(tab, 'Restart').last().click();
      await says(tab, 'robot-nav.service is restarting: activating');
      await until('it is active', async () => !(await textOf(tab)).includes('activating (start)'));
      await button(tab, 'Restart robot-rest.service').click();
      await tab.page.locator('.ask').getByRole('button', { name: 'Restart' }).click();
      await tab.page.getByRole('alert').getByText('never those of this service').first().waitFor();
    });

    it('takes, downloads, uploads and restores snapshots, and undoes that', async () => {
      const item = { id: `hall-${viewport.width}` };
      const rows = async () =>
        (await world.service.as('USER', '/api/v2/database/read/?tablename=known_locations_table')).json.length;
      const tab = await signIn('admin', '/#backups', { viewport });
      await button(tab, 'Take a snapshot now').click();
      await says(tab, /snapshot-\S+ was taken/);
      const before = await rows();
      const body = { tablename: 'known_locations_table', item };
      await world.service.as('USER', '/api/v2/database/add_item/', { method: 'POST', body });
      const download: Promise<Download> = tab.page.waitForEvent('download');
      await button(tab, /^Download snapshot/)
        .first()
        .click();
      const file = readFileSync(await (await download).path());
      expect(file.subarray(0, 15).toString()).toBe('SQLite format 3');
      await button(tab, /^Restore snapshot/)
        .first()
        .click();
      await tab.page.locator('.ask').getByRole('button', { name: 'Restore' }).click();
      await says(tab, /^Restored: /);
      expect(await rows()).toBe(before);
      await button(tab, 'Undo').click();
      await until('it is undone', async () => (await rows()) === before + 1);
      const uploaded = `snapshot-mine-${viewport.width}.sqlite`;
      const chooser = tab.page.locator('input[type=file]');
      await chooser.setInputFiles({ name: uploaded, mimeType: 'application/vnd.sqlite3', buffer: file });
      await says(tab, `${uploaded} was uploaded`);
      await chooser.setInputFiles({ name: 'notes.sqlite', mimeType: 'application/vnd.sqlite3', buffer: file });
      await tab.page.getByRole('alert').getByText('snapshot').waitFor();
    });

    it('backs up the whole robot, tries the archive out, and restores it', async () => {
      const tab = await signIn('enchanter', '/#backups', { viewport });
      const download: Promise<Download> = tab.page.waitForEvent('download');
      await button(tab, 'Back up the whole robot').click();
      const buffer = readFileSync(await (await download).path());
      const chooser = tab.page.getByLabel('Restore from a file');
      await chooser.setInputFiles({
        name: 'robot.tar.gz',
        mimeType: 'application/gzip',
        buffer: buffer.subarray(0, -99),
      });
      await tab.page
        .locator('.problem')
        .getByText(/archive|broke|end/)
        .first()
        .waitFor();
      await chooser.setInputFiles({ name: 'robot.tar.gz', mimeType: 'application/gzip', buffer });
      await says(tab, 'The archive is in order.');
      await button(tab, 'Restore the robot').click();
      await says(tab, /^Restored: database/);
      await button(tab, /^Restore what was there before/)
        .first()
        .waitFor();
    });

    it('finds in the audit trail what was done here', async () => {
      const tab = await signIn('enchanter', '/#audit', { viewport });
      await tab.page.getByLabel('Action').fill('volume.set');
      await button(tab, 'Show').click();
      const lines = tab.page.locator('.audit > li');
      const fits = async () => (await lines.allInnerTexts()).every((line) => line.includes('volume.set'));
      await until('only what fits is shown', async () => (await lines.count()) > 0 && (await fits()));
      await tab.page.getByLabel('Action').fill('nothing.like.this');
      await button(tab, 'Show').click();
      await says(tab, 'Nothing was done that fits.');
    });
  });
});
