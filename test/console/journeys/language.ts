import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/world.ts';

const HOSTILE = '<script>alert(1)</script>';
const TEXT = `# mine\nmodel: small # which\nmax_tokens: 512\nchat:\n  greeting: "${HOSTILE}"\n  stream: true\n`;

describeWith('Chromium', CHROMIUM, 'The language model in the console', () => {
  const path = join(temporaryFolder(), 'llm.yaml');
  const world = new ConsoleWorld({ SERVICE_LLM_CONFIG_PATH: path });
  let tab: Tab;
  const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
  const setting = (key: string) => tab.page.getByRole('button', { name: `(change ${key})` });
  const says = (text: string) => tab.page.locator('main').getByText(text).first().waitFor();
  const file = () => readFileSync(path, 'utf8');

  beforeAll(() => {
    writeFileSync(path, TEXT);
    return world.start();
  });
  beforeEach(() => writeFileSync(path, TEXT));
  afterEach(async () => {
    expect(tab.offences).toEqual([]);
    await world.closeTabs();
  });
  afterAll(() => world.stop());

  it.each(SIZES)('changes settings of each type, and shows the file beside them, on %s', async (_name, viewport) => {
    tab = await world.signIn('enchanter', '/#language', { viewport });
    const source = tab.page.getByRole('textbox', { name: 'The file as it is, in YAML' });
    await source.getByText('# mine').waitFor();
    await setting('max_tokens').click();
    await tab.page.getByLabel('max_tokens').fill('many');
    await button('Save').click();
    await says('A number is needed.');
    await tab.page.getByLabel('max_tokens').fill('1024');
    await button('Save').click();
    await says('max_tokens was changed; before, it was 512.');
    await source.getByText('1024').waitFor();
    await setting('chat.greeting').click();
    expect(await tab.page.getByLabel('chat.greeting').inputValue()).toBe(HOSTILE);
    await tab.page.getByLabel('chat.greeting').fill(`Hello ${HOSTILE}`);
    await button('Save').click();
    await setting('chat.stream').click();
    await tab.page.getByLabel('chat.stream').selectOption('false');
    await button('Save').click();
    await until('it is stored', () => file().includes('stream: false'));
    expect(file()).toContain('# mine\nmodel: small # which\nmax_tokens: 1024');
  });

  it('overwrites nothing that somebody else has changed meanwhile, and keeps what was typed', async () => {
    tab = await world.signIn('enchanter', '/#language');
    await setting('model').click();
    await tab.page.getByLabel('model', { exact: true }).fill('mine');
    writeFileSync(path, TEXT.replace('small', 'theirs'));
    await button('Save').click();
    await says('Somebody else has changed the file meanwhile.');
    expect(file()).toContain('model: theirs');
    expect(await tab.page.getByLabel('model', { exact: true }).inputValue()).toBe('mine');
    await until('it can be saved', () => button('Save').isEnabled());
    await button('Save').click();
    await says('model was changed; before, it was theirs.');
    expect(file()).toContain('model: mine # which');
  });

  it('shows every digit of a number, and lets none be changed unseen', async () => {
    writeFileSync(path, 'seed: 9007199254740993\nlimits:\n  - 9007199254740995\n  - 1\nscale: 1e16\n');
    tab = await world.signIn('enchanter', '/#language');
    await setting('seed').getByText('9007199254740993').waitFor();
    await setting('limits').click();
    const limits = tab.page.getByLabel('limits');
    expect(await limits.inputValue()).toBe('[9007199254740995,1]');
    await limits.fill('[9007199254740995,2]');
    await button('Save').click();
    await says('Integers must lie between');
    expect(file()).toContain('  - 9007199254740995\n  - 1\n');
    await limits.fill('[5,2]');
    await button('Save').click();
    await says('limits was changed; before, it was [9007199254740995,1].');
    await setting('seed').click();
    await tab.page.getByLabel('seed').fill('7');
    await button('Save').click();
    await says('seed was changed; before, it was 9007199254740993.');
    expect(file()).toContain('seed: 7\n');
  });
});
