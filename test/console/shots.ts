/**
 * Pictures of every view of the console, on a phone and on a desk, light and dark, in console/shots: for people to judge.
 * `npm run console:shots`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConsoleWorld, closeBrowser, SIZES, type Tab } from '../support/console-world.ts';
import { ROOT } from '../support/sources.ts';

const FOLDER = join(ROOT, 'console', 'shots');
/** On by a page; false at the end. */
const SCROLL = `(() => {
  const main = document.querySelector('main');
  const before = main.scrollTop;
  main.scrollBy(0, main.clientHeight - 24);
  return main.scrollTop > before + 8;
})()`;
const world = new ConsoleWorld({ SERVICE_DESCRIPTION_DIR: join(ROOT, 'robot', 'description') });

/** What a robot has to show after a while. */
async function liveALittle(): Promise<void> {
  const send = (name: string, value: unknown) =>
    world.service.as('ADMIN', `/api/v2/commands/${name}/`, { method: 'POST', body: { value } });
  await send('set_robot_max_velocity', 100);
  for (const value of [
    { x: 0.9, y: 0.4, theta: 50 },
    { x: 0.7, theta: 60 },
  ]) {
    const { result } = (await send('go_to_relative', value)).json;
    await send('wait_for_skill', result.msg);
  }
  await send('skill', { name: 'wait', seconds: 500 });
}

async function useCommands({ page }: Tab): Promise<void> {
  for (const [name, value] of [
    ['sound_level', '40'],
    ['sound_level', '400'],
  ] as const) {
    await page.getByRole('button', { name: new RegExp(`${name}$`) }).click();
    await page.getByLabel('Value %').fill(value);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.chosen .outcome').waitFor();
  }
  await page.waitForTimeout(300);
  await page.evaluate(`document.querySelector('main').scrollTo(0, 0)`);
}

const press = (tab: Tab, name: string | RegExp) => tab.page.getByRole('button', { name, exact: true }).first().click();
const nothing = async () => {};
/** The views of daily work, each in the middle of some work. */
const DAILY: readonly (readonly [view: string, show: (tab: Tab) => Promise<void>])[] = [
  ['Skills', (tab) => press(tab, 'Edit wave.py')],
  ['Database', (tab) => press(tab, /change color of kitchen/)],
  ['Network', (tab) => press(tab, 'Join Workshop')],
  ['Sound', nothing],
  ['Logs', nothing],
  ['Services', (tab) => press(tab, 'Restart robot-nav.service')],
  ['Language model', (tab) => press(tab, /change max_tokens/)],
  ['Keys', (tab) => press(tab, 'Show a code')],
  ['Backups', (tab) => press(tab, 'Take a snapshot now')],
  ['Audit', nothing],
];

const WAVE = `from robot_rest import skill


@skill(access_level="USER", description="Wave at whoever is there.")
async def wave(robot, times: int = 2, side: str = "left"):
    # Each wave takes a second.
    for n in range(times):
        print(f"wave {n + 1} of {times}")
        await robot.sleep(1.0)
    return {"waved": times}
`;

/** A skill, and a run of it. */
async function makeSkill(): Promise<void> {
  const part = 'Content-Disposition: form-data; name="skill"; filename="wave.py"';
  await world.service.as('ADMIN', '/api/v2/skill/upload/', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=XX' },
    body: `--XX\r\n${part}\r\n\r\n${WAVE}\r\n--XX--\r\n`,
  });
  await world.service.as('ADMIN', '/api/v2/runs/', { method: 'POST', body: { skill: 'wave' } });
}

/** Page after page of a view, since it scrolls below the bars. */
async function take({ page }: Tab, name: string): Promise<void> {
  for (let part = 1; part <= 6; part += 1) {
    await page.screenshot({ path: join(FOLDER, `${name}-${part}.png`) });
    const more = await page.evaluate(SCROLL);
    if (!more) break;
  }
}

async function shoot(look: { viewport: { width: number; height: number }; colorScheme: 'light' | 'dark' }) {
  const name = (view: string) => `${view}-${look.viewport.width}-${look.colorScheme}`;
  const empty = await world.open('/', look);
  await empty.page.getByLabel('API key').waitFor();
  await take(empty, name('0-sign-in'));
  const tab = await world.signIn('enchanter', '/', look);
  await tab.page.waitForTimeout(200);
  await liveALittle();
  await tab.page.waitForTimeout(1500);
  await take(tab, name('1-overview'));
  await world.visit(tab, 'Drive');
  await tab.page.getByRole('button', { name: 'Take control' }).click();
  await tab.page.getByRole('button', { name: 'Release control' }).waitFor();
  await tab.page.getByRole('button', { name: 'Forward' }).hover();
  await tab.page.mouse.down();
  await tab.page.waitForTimeout(400);
  await take(tab, name('2-drive'));
  await tab.page.mouse.up();
  await tab.page.getByRole('button', { name: 'Release control' }).click();
  await world.visit(tab, 'Commands');
  await useCommands(tab);
  await take(tab, name('3-commands'));
  await world.visit(tab, 'Skills');
  await press(tab, 'Rename wave.py');
  await take(tab, name('6-skill-files'));
  for (const [view, show] of DAILY) {
    await world.visit(tab, view);
    await tab.page.locator('main .card').first().waitFor();
    await show(tab);
    await tab.page.waitForTimeout(700);
    await take(tab, name(`6-${view.toLowerCase().replace(' ', '-')}`));
  }
  await tab.page.getByRole('button', { name: 'Stop', exact: true }).click();
  await tab.page.getByText('Confirmed: the robot stopped').waitFor();
  await take(tab, name('4-stopped'));
  await tab.context.setOffline(true);
  await tab.page.getByRole('button', { name: 'Stop', exact: true }).click();
  await tab.page.getByText('Not confirmed').waitFor();
  await tab.page.waitForTimeout(2500);
  await world.visit(tab, 'Overview');
  await take(tab, name('5-offline'));
  await world.closeTabs();
}

mkdirSync(FOLDER, { recursive: true });
await world.start();
for (const id of ['charging_station', 'entrance', 'kitchen', 'workshop']) {
  const body = { tablename: 'known_locations_table', item: { id } };
  await world.service.as('ADMIN', '/api/v2/database/add_item/', { method: 'POST', body });
}
await makeSkill();
try {
  for (const [, viewport] of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) await shoot({ viewport, colorScheme });
  }
} finally {
  await world.stop();
  await closeBrowser();
}
