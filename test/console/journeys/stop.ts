import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab, VIEWS } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';

const UNCONFIRMED = 'Not confirmed: use the hardware stop.';

/** Everything that can be pressed, and how far it is from Stop, in px. */
const NEAREST = `(() => {
  const stop = document.querySelector('button.stop').getBoundingClientRect();
  return [...document.querySelectorAll('a, button, input, select, textarea, label, summary')]
    .filter((one) => !one.matches('.stop') && one.checkVisibility())
    .map((one) => {
      const box = one.getBoundingClientRect();
      const clip = one.closest('main')?.getBoundingClientRect();
      const bottom = clip ? Math.min(box.bottom, clip.bottom) : box.bottom;
      const top = clip ? Math.max(box.top, clip.top) : box.top;
      if (bottom <= top) return Infinity;
      return Math.hypot(
        Math.max(0, box.left - stop.right, stop.left - box.right),
        Math.max(0, top - stop.bottom, stop.top - bottom),
      );
    })
    .reduce((least, one) => Math.min(least, one), Infinity);
})()`;

/** Down and up at once, and longer than it would have to be held. */
const TAP_ESC = `new Promise((done) => {
  for (const type of ['keydown', 'keyup']) window.dispatchEvent(new KeyboardEvent(type, { key: 'Escape' }));
  setTimeout(done, 700);
})`;

describeWith('Chromium', CHROMIUM, 'Stop in the console', () => {
  const world = new ConsoleWorld();
  let tab: Tab;
  let stops: string[];

  async function open(options: Parameters<ConsoleWorld['signIn']>[2] = {}): Promise<void> {
    tab = await world.signIn('enchanter', '/', options);
    stops = [];
    tab.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/v2/stop'))
        stops.push(new URL(request.url()).port);
    });
  }
  const button = () => tab.page.getByRole('button', { name: 'Stop', exact: true });
  const says = (text: string) => tab.page.locator('.stop-bar').getByText(text).waitFor();
  const goes = () =>
    world.service.as('USER', '/api/v2/commands/go_to_relative/', { method: 'POST', body: { value: { x: 5 } } });

  beforeAll(() => world.start());
  beforeEach(() => open());
  afterEach(async () => {
    expect(tab.offences).toEqual([]);
    await world.closeTabs();
  });
  afterAll(() => world.stop());

  it('stops the robot through the service and the port of stop at once, and says who did it, and when', async () => {
    await goes();
    await world.moves(true);
    await button().click();
    await says('Confirmed: the robot stopped');
    await world.moves(false);
    await until('both were asked', () => new Set(stops).size === 2);
    await says('by you, confirmed');
    await world.service.as('ADMIN', '/api/v2/stop', { method: 'POST' });
    await says('by test-ADMIN');
  });

  it.each(SIZES)('is large, and far from everything else, on every view on %s', async (_name, viewport) => {
    await tab.page.setViewportSize(viewport);
    for (const view of VIEWS) {
      await world.visit(tab, view);
      const box = await button().boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(64);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      expect([view, Number(await tab.page.evaluate(NEAREST)) >= 16]).toEqual([view, true]);
    }
  });

  it('is pressed by Esc that is held, whatever has the focus, and not by Esc that is tapped', async () => {
    await tab.page.getByRole('link', { name: 'Commands' }).click();
    await tab.page.getByLabel('Find a command').fill('pose');
    await tab.page.evaluate(TAP_ESC);
    expect(stops).toEqual([]);
    await tab.page.keyboard.down('Escape');
    await says('Confirmed: the robot stopped');
    await tab.page.keyboard.up('Escape');
  });

  it('is pressed by the keyboard, and by a tap', async () => {
    await button().focus();
    await tab.page.keyboard.press('Enter');
    await says('Confirmed: the robot stopped');
    await world.closeTabs();
    await open({ hasTouch: true, viewport: SIZES[0][1] });
    await button().tap();
    await says('Confirmed: the robot stopped');
  });

  it('is confirmed by the port of stop when the service does not answer', async () => {
    const port = new URL(world.service.url).port;
    await tab.page.route(
      (url) => url.port === port && url.pathname.endsWith('/stop'),
      (route) => route.abort(),
    );
    await button().click();
    await says('through the guard');
  });

  it('says that nothing is confirmed without a connection, goes on sending, and confirms once it is back', async () => {
    await goes();
    await world.moves(true);
    await tab.context.setOffline(true);
    await tab.page.getByText('No answer for').first().waitFor();
    await button().click();
    await says(UNCONFIRMED);
    await until('it was sent again', () => stops.length >= 6);
    await says('still sending');
    expect(await world.pose()).toMatchObject({ moving: true });
    await tab.context.setOffline(false);
    await says('Confirmed: the robot stopped');
    await world.moves(false);
  });

  it("shows the service's reason where the robot does not confirm", async () => {
    await tab.page.route('**/api/v2/stop', (route) =>
      route.fulfill({
        status: 502,
        contentType: 'application/problem+json',
        headers: { 'access-control-allow-origin': '*' },
        json: { code: 'robot_error', status: 502, title: 'x', detail: 'The brakes did <b>not</b> answer.' },
      }),
    );
    await button().click();
    await tab.page.getByRole('alert').getByText(UNCONFIRMED).waitFor();
    await says('The brakes did <b>not</b> answer.');
    await tab.page.unroute('**/api/v2/stop');
    await says('Confirmed: the robot stopped');
  });
});
