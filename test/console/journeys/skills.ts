import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';
import { PYTHON } from '../../support/skill-service.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const COUNT = `from robot_rest import skill


@skill(access_level="USER", description="Count ${HOSTILE}.")
async def count(robot, to: int, word: str = "sheep", fast: bool = False):
    for n in range(to):
        print(n, word, flush=True)
        if not fast:
            await robot.sleep(0.05)
    return {"counted": to, "said": word}
`;
const BROKEN = 'def wave(:\n    pass\n';

describeWith('Chromium', CHROMIUM, 'Skills in the console', () => {
  const world = new ConsoleWorld({ SERVICE_SKILL_PYTHON: PYTHON });
  let tab: Tab;

  const button = (name: string | RegExp) => tab.page.getByRole('button', { name, exact: true });
  const says = (text: string | RegExp) => tab.page.locator('main').getByText(text).first().waitFor();
  const files = async (): Promise<{ name: string; enabled: boolean; sha256: string }[]> =>
    (await world.service.as('ADMIN', '/api/v2/skill/list/')).json.skills;
  const choose = (name: string, source: string) =>
    tab.page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/x-python', buffer: Buffer.from(source) });
  /** In place of everything that the editor has. */
  async function type(text: string): Promise<void> {
    const content = tab.page.getByRole('textbox', { name: /^Source of/ });
    await content.click();
    await tab.page.keyboard.press('Control+a');
    await tab.page.keyboard.insertText(text);
  }
  async function open(level: 'user' | 'admin', options: Parameters<ConsoleWorld['signIn']>[2] = {}): Promise<void> {
    tab = await world.signIn(level, '/#skills', options);
    await tab.page.getByRole('heading', { name: 'Runs' }).waitFor();
  }

  beforeAll(() => world.start());
  afterEach(async () => {
    expect(tab.offences).toEqual([]);
    await world.closeTabs();
  });
  afterAll(() => world.stop());

  describe.each(SIZES)('on %s', (_size, viewport) => {
    it('uploads, runs with a form from the signature, shows the log as it comes, and ends a run', async () => {
      await open('admin', { viewport });
      await choose('count.py', COUNT);
      await says('count.py was uploaded.');
      await tab.page.getByLabel('to', { exact: true }).fill('4');
      await tab.page.getByLabel('word').fill(HOSTILE);
      await button('Run').click();
      await says(`3 ${HOSTILE}`);
      await says('succeeded');
      await says('"counted": 4');
      await tab.page.getByLabel('to', { exact: true }).fill('5000');
      await button('Run').click();
      await button('End the run of count').click();
      await says('stopped');
      expect(await tab.page.locator('img').count()).toBe(0);
    });

    it('shows the fault of a source, stores nothing wrong, and renames and downloads a file', async () => {
      await open('admin', { viewport });
      await button('New skill').click();
      await tab.page.getByLabel('File name').fill('wave.py');
      await type(BROKEN);
      await button('Save').click();
      await tab.page.getByRole('alert').getByText('wave.py is not valid Python').waitFor();
      await tab.page.locator('.cm-lintRange-error, .cm-lintPoint-error').first().waitFor();
      expect((await files()).map(({ name }) => name)).not.toContain('wave.py');
      await button('Close').click();
      await button('Cancel').click();
      await type('def wave():\n    pass\n');
      await button('Save').click();
      await says('wave.py was saved.');
      await button('Close').click();
      await button('Disable wave.py').click();
      await button('Enable wave.py').waitFor();
      await button('Rename wave.py').click();
      await tab.page.getByLabel('New name of wave.py').fill('count.py');
      await button('Rename').last().click();
      await tab.page.getByRole('alert').getByText('count.py').waitFor();
      await tab.page.getByLabel('New name of wave.py').fill('greet.py');
      await button('Rename').last().click();
      await says('wave.py is now greet.py.');
      const download = tab.page.waitForEvent('download');
      await button('Download greet.py').click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe('greet.py');
      expect(readFileSync(await saved.path(), 'utf8')).toBe('def wave():\n    pass\n');
      await button('Delete greet.py').click();
      await tab.page.locator('.ask').getByRole('button', { name: 'Delete' }).click();
      await says('greet.py was deleted.');
    });
  });

  it('takes files that are dropped, and says which name does not fit', async () => {
    await open('admin');
    await tab.page.evaluate(`(() => {
      const files = new DataTransfer();
      files.items.add(new File(['def a(): pass\\n'], 'dropped.py'));
      files.items.add(new File(['x'], '..\\u202e<b>.py'));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true }));
    })()`);
    await button('Edit dropped.py').waitFor();
    await tab.page.getByRole('alert').getByText('name').first().waitFor();
  });

  it('does not overwrite unseen what somebody else has saved', async () => {
    await open('admin');
    await choose('shared.py', 'def a():\n    pass\n');
    await button('Edit shared.py').click();
    await type('def mine():\n    pass\n');
    const form =
      'Content-Disposition: form-data; name="skill"; filename="shared.py"\r\n\r\ndef theirs():\n    pass\n\r\n';
    await world.service.as('ADMIN', '/api/v2/skill/upload/', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=XX' },
      body: `--XX\r\n${form}--XX--\r\n`,
    });
    const theirs = (await files()).find(({ name }) => name === 'shared.py')?.sha256;
    await button('Save').click();
    await says('Somebody else has changed this file meanwhile.');
    expect((await files()).find(({ name }) => name === 'shared.py')?.sha256).toBe(theirs);
    await button('Save').click();
    await says('shared.py was saved.');
  });

  it('lets USER run what the decorator allows, without the files', async () => {
    await open('user');
    expect(await button('New skill').count()).toBe(0);
    await tab.page.getByLabel('to', { exact: true }).fill('2');
    await button('Run').click();
    await says('1 sheep');
    const own = tab.page.locator('li').filter({ hasText: 'succeeded' }).getByRole('button', { name: 'Log of count' });
    await until('only its own run has a log for it', async () => (await own.count()) === 1);
  });
});
