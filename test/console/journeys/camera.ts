import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';
import { UNPLUG, VideoServer } from '../../support/video-server.ts';

describeWith('Chromium', CHROMIUM, 'The camera in the console', () => {
  const server = new VideoServer();
  let world: ConsoleWorld;
  let camera: Tab;

  const says = ({ page }: Tab, text: string) => page.locator('.camera').getByText(text).waitFor();
  const shows = ({ page }: Tab) => page.locator('.camera:not(.blank) video').waitFor();
  const width = async ({ page }: Tab) => Number(await page.evaluate(`document.querySelector('video').videoWidth`));

  beforeAll(async () => {
    await server.start();
    world = await new ConsoleWorld({ SERVICE_VIDEO_URL: server.url }).start();
  });
  afterEach(() => world.closeTabs());
  afterAll(async () => {
    server.stop();
    await world.stop();
  });

  it('is shown with the token of whoever looks, and given back', async () => {
    camera = await world.open('/status');
    server.film = (script) => camera.page.evaluate(script);
    const tab = await world.signIn('user', '/#drive');
    await shows(tab);
    await until('there is a picture', async () => (await width(tab)) === 320);
    expect(server.tokens.at(-1)).toMatch(/^Bearer ey/);
    await tab.page.getByRole('link', { name: 'Overview' }).click();
    await until('it was given back', () => server.ended.length === 1);
    expect(tab.offences).toEqual([]);
  });

  it('shows no old picture when the camera is gone, says so, and comes back by itself', async () => {
    camera = await world.open('/status');
    server.film = (script) => camera.page.evaluate(script);
    const tab = await world.signIn('user', '/#drive');
    await shows(tab);
    server.refusal = 404;
    await camera.page.evaluate(UNPLUG);
    await says(tab, 'No picture.');
    await says(tab, 'status 404');
    expect(await tab.page.locator('video').isVisible()).toBe(false);
    expect(await tab.page.getByRole('button', { name: 'Stop', exact: true }).isEnabled()).toBe(true);
    server.refusal = undefined;
    await shows(tab);
    expect(tab.offences).toEqual([]);
  });

  it('is silent about a video server that is not there', async () => {
    server.stop();
    const tab = await world.signIn('user', '/#drive');
    await says(tab, 'The video server does not answer.');
    expect(tab.offences).toEqual([]);
  });
});
