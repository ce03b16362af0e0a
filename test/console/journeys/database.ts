import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Download } from 'playwright-core';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>=cmd|calc';
const MANY = 100_000;

describeWith('Chromium', CHROMIUM, 'The database in the console', () => {
  const world = new ConsoleWorld();
  let tab: Tab;

  const call = (method: string, route: string, body: object) =>
    world.service.as('USER', `/api/v2/database/${route}/`, { method, body });
  const add = (tablename: string, item: object) => call('POST', 'add_item', { tablename, item });
  const rows = async (tablename: string): Promise<{ id: unknown; [column: string]: unknown }[]> =>
    (await world.service.as('USER', `/api/v2/database/read/?tablename=${tablename}`)).json;
  const button = (name: string | RegExp) => tab.page.getByRole('button', { name, exact: true });
  const cell = (column: string, id: number) => button(new RegExp(`\\(change ${column} of ${id}\\)$`));
  const says = (text: string | RegExp) => tab.page.locator('main').getByText(text).first().waitFor();
  const choose = (table: string) => tab.page.locator('.database .filters select').first().selectOption(table);
  async function open(level: 'user' | 'admin', options: Parameters<ConsoleWorld['signIn']>[2] = {}): Promise<void> {
    tab = await world.signIn(level, '/#database', options);
    await tab.page.locator('.sheet').waitFor();
  }
  const sendCsv = (text: string) =>
    tab.page
      .locator('input[type=file]')
      .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

  beforeAll(async () => {
    await world.start();
    await add('categories_table', { id: 1, name: 'Moves' });
    await add('categories_table', { id: 2, name: HOSTILE });
    await add('subcategories_table', { id: 1, name: 'Waves', category_id: 1 });
  });
  afterEach(async () => {
    expect(tab.offences).toEqual([]);
    await world.closeTabs();
  });
  afterAll(() => world.stop());

  describe.each(SIZES)('on %s', (_size, viewport) => {
    it('changes cells by their type, and references by what they refer to', async () => {
      await open('user', { viewport });
      await choose('subcategories_table');
      await cell('name', 1).click();
      await tab.page.locator('.cell-editor input').fill('Greetings');
      await tab.page.keyboard.press('Enter');
      await cell('name', 1).getByText('Greetings').waitFor();
      await cell('category_id', 1).click();
      await tab.page.locator('.cell-editor select').selectOption({ label: `2 · ${HOSTILE}` });
      await button('Save').click();
      await cell('category_id', 1).getByText('2').waitFor();
      await cell('local', 1).click();
      await tab.page.locator('.cell-editor select').selectOption('true');
      await button('Save').click();
      await until('it is stored', async () => (await rows('subcategories_table'))[0]?.local === true);
      expect(await rows('subcategories_table')).toEqual([
        expect.objectContaining({ name: 'Greetings', category_id: 2 }),
      ]);
      await call('PUT', 'update_item', {
        tablename: 'subcategories_table',
        item: { id: 1 },
        attribute: 'local',
        new_value: false,
      });
    });

    it('adds a row, refuses what does not fit, and deletes it again', async () => {
      await open('user', { viewport });
      await choose('customized_prompts_table');
      await button('Add a row').click();
      await tab.page.getByLabel('order').fill('first');
      await button('Add a row').click();
      await says('A whole number is needed.');
      await tab.page.getByLabel('order').fill('7');
      await tab.page.getByLabel('prompt', { exact: true }).fill(HOSTILE);
      await button('Add a row').click();
      await says(/Row \d+ was added/);
      expect(await tab.page.locator('img').count()).toBe(0);
      await button(/^Delete row/).click();
      await tab.page.locator('.ask').getByRole('button', { name: 'Delete' }).click();
      await until('it is gone', async () => (await rows('customized_prompts_table')).length === 0);
    });

    it('tries a CSV file out before it imports it, downloads one, clears a table by its name, and undoes that', async () => {
      await open('admin', { viewport });
      await choose('robots_table');
      await sendCsv('id,name\n1,Pip\n2,Squeak\n');
      await says('The file would add 2 rows and change 0');
      expect(await rows('robots_table')).toEqual([]);
      await button('Import it').click();
      await says('2 rows were added, 0 changed.');
      await sendCsv('id,name\n1,"Pip\n');
      await tab.page.getByRole('alert').getByText('line').waitFor();
      const download: Promise<Download> = tab.page.waitForEvent('download');
      await button('Download CSV').click();
      expect(readFileSync(await (await download).path(), 'utf8')).toContain('2,Squeak');
      await button('Delete all rows…').click();
      await tab.page.getByLabel('Name of the table').fill('robots');
      expect(await button('Delete all rows').isDisabled()).toBe(true);
      await tab.page.getByLabel('Name of the table').fill('robots_table');
      await button('Delete all rows').click();
      await says('2 rows were deleted.');
      await button('Undo').click();
      await until('they are back', async () => (await rows('robots_table')).length === 2);
      await world.service.as('ADMIN', '/api/v2/database/clear_table/?tablename=robots_table', { method: 'DELETE' });
    });
  });

  it('offers no undo to USER, who may not restore', async () => {
    await open('user');
    await choose('robots_table');
    await sendCsv('id,name\n1,Pip\n');
    await button('Import it').click();
    await says('1 rows were added');
    expect(await button('Undo').count()).toBe(0);
  });

  it('does not overwrite unseen what somebody else has written', async () => {
    await add('categories_table', { id: 9, name: 'first' });
    await open('user');
    await choose('categories_table');
    await cell('name', 9).click();
    const change = { tablename: 'categories_table', item: { id: 9 }, attribute: 'name', new_value: 'theirs' };
    await call('PUT', 'update_item', change);
    await tab.page.locator('.cell-editor input').fill('mine');
    await button('Save').click();
    await says('it is theirs now. Nothing was saved.');
    expect((await rows('categories_table')).at(-1)).toMatchObject({ name: 'theirs' });
    await button('Save').click();
    await until('it is stored', async () => (await rows('categories_table')).at(-1)?.name === 'mine');
    await cell('name', 9).click();
    await call('DELETE', 'delete_item', { tablename: 'categories_table', item: { id: 9 } });
    await tab.page.locator('.cell-editor input').fill('late');
    await button('Save').click();
    await says('Somebody else has removed this row meanwhile.');
  });

  it('keeps the digits of numbers that nobody has touched', async () => {
    await add('robot_configuration_table', { id: 'far', value: { turns: 2 } });
    await open('user');
    await choose('robot_configuration_table');
    const value = button(/\(change value of far\)$/);
    await value.click();
    await tab.page.locator('.cell-editor textarea').fill('{"turns":2,"steps":1e16,"way":0.10}');
    await button('Save').click();
    await value.getByText('{"turns":2,"steps":1e+16,"way":0.1}').waitFor();
    await value.click();
    const field = tab.page.locator('.cell-editor textarea');
    await field.fill((await field.inputValue()).replace('2', '3'));
    await button('Save').click();
    await value.getByText('{"turns":3,"steps":1e+16,"way":0.1}').waitFor();
    await value.click();
    await field.fill('{"steps":9007199254740993}');
    await button('Save').click();
    await tab.page.getByRole('alert').getByText('Integers must lie between').waitFor();
  });

  it('shows a table of 100 000 rows page by page, and finds rows in it', async () => {
    await open('user');
    await choose('customized_prompts_table');
    await sendCsv(`id,name\n${Array.from({ length: MANY }, (_, n) => `${n + 1},row ${n + 1}\n`).join('')}`);
    await button('Import it').click();
    await says(`Rows 1 to 50 of ${MANY}`);
    expect(await tab.page.locator('.sheet tbody tr').count()).toBe(50);
    await button('Later rows').click();
    await says(`Rows 51 to 100 of ${MANY}`);
    await tab.page.getByLabel('Rows with').fill('row 99999');
    await cell('name', 99999).waitFor();
    await says(`1 of ${MANY} rows.`);
  });
});
