import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';

const TAKE = 'Take control';

describeWith('Chromium', CHROMIUM, 'Driving in the console', () => {
  const world = new ConsoleWorld();
  let tab: Tab;

  const hold = (name: string, { page }: Tab = tab) => page.getByRole('button', { name, exact: true });
  const isReady = async (of: Tab = tab) => {
    await until('the pad can be used', () => hold('Forward', of).isEnabled());
  };
  async function takeControl(of: Tab = tab): Promise<void> {
    await of.page.getByRole('button', { name: TAKE }).click();
    await isReady(of);
  }
  const isFree = () =>
    until('the lease has lapsed', async () => {
      const { state } = (await world.service.as('USER', '/api/v2/lease/')).json;
      return state !== 'fresh';
    });
  async function press(name: string): Promise<void> {
    await hold(name).hover();
    await tab.page.mouse.down();
  }

  /** Holds a button until the robot moves; where the machine has stalled, as somebody would who tries again. */
  async function driveBy(name: string): Promise<void> {
    await until('the robot moves', async () => {
      for (const label of [TAKE, 'Connect the pad again']) {
        const again = hold(label);
        if ((await again.isVisible()) && (await again.isEnabled())) await again.click();
      }
      if (!(await hold(name).isEnabled())) return false;
      await press(name);
      for (let looks = 0; looks < 30; looks += 1) if ((await world.pose()).moving) return true;
      await tab.page.mouse.up();
      return false;
    });
  }

  beforeAll(() => world.start());
  beforeEach(async () => {
    tab = await world.signIn('user', '/#drive');
  });
  afterEach(async () => {
    const { offences, page } = tab;
    const release = page.getByRole('button', { name: 'Release control' });
    if (!page.isClosed() && (await release.isVisible())) await release.click().catch(() => undefined);
    await world.closeTabs();
    await isFree();
    await world.service.as('USER', '/api/v2/stop', { method: 'POST' });
    expect(offences).toEqual([]);
  });
  afterAll(() => world.stop());

  it.each(SIZES)('moves while a button is held on %s, and stands when it is let go', async (_name, viewport) => {
    await tab.page.setViewportSize(viewport);
    expect(await hold('Forward').isDisabled()).toBe(true);
    await takeControl();
    const before = await world.pose();
    await driveBy('Forward');
    await until('it has come forward', async () => (await world.pose()).x > before.x + 0.02);
    await tab.page.mouse.move(2, 2); // captured: outside of the button it is still held
    expect(await world.pose()).toMatchObject({ moving: true });
    await tab.page.mouse.up();
    await world.moves(false);
  });

  it('drives by the keyboard while the pad has the focus, and stops when it loses it', async () => {
    await takeControl();
    await tab.page.getByRole('group', { name: 'Drive by hand' }).focus();
    await tab.page.keyboard.down('ArrowLeft');
    await until('it turns left', async () => (await world.pose()).theta > 1);
    await tab.page.keyboard.up('ArrowLeft');
    await world.moves(false);
    await tab.page.keyboard.down('w');
    await world.moves(true);
    await tab.page.getByLabel('Speed').focus();
    await world.moves(false);
    await tab.page.keyboard.up('w');
  });

  it.each([
    ['the window loses the focus', `window.dispatchEvent(new Event('blur'))`],
    [
      'the page is hidden',
      `Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
       document.dispatchEvent(new Event('visibilitychange'))`,
    ],
  ])('stops when %s', async (_name, script) => {
    await takeControl();
    await driveBy('Forward');
    await tab.page.evaluate(script);
    await world.moves(false);
    await tab.page.mouse.up();
  });

  it('stops when another view is opened, and when the tab is closed', async () => {
    await takeControl();
    await driveBy('Forward');
    await tab.page.evaluate(`location.hash = 'overview'`);
    await world.moves(false);
    await tab.page.mouse.up();
    await tab.page.evaluate(`location.hash = 'drive'`);
    await driveBy('Back');
    await tab.page.close();
    await world.moves(false);
  });

  it('stands after a stop although a button is still held, and drives again once it is pressed anew', async () => {
    await takeControl();
    await driveBy('Forward');
    await world.service.as('ADMIN', '/api/v2/stop', { method: 'POST' });
    await world.moves(false);
    await tab.page.getByText('The robot was stopped. Press again to drive on.').waitFor();
    expect(await world.pose()).toMatchObject({ moving: false });
    await tab.page.mouse.up();
    await driveBy('Forward');
    await tab.page.mouse.up();
  });

  it('offline in the middle of a jog: the robot stands, controls are off, and nothing is sent again later', async () => {
    const frames: { vx: number; vy: number; wz: number; seq: number }[] = [];
    tab.page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        const message = JSON.parse(String(payload));
        if (message.type === 'jog') frames.push(message);
      });
    });
    const posted: string[] = [];
    tab.page.on('request', (request) => {
      if (request.method() === 'POST') posted.push(`${new URL(request.url()).pathname} ${request.postData()}`);
    });
    await takeControl();
    await driveBy('Forward');
    await tab.context.setOffline(true);
    // Chromium leaves open WebSockets alone: what is dropped here is what the network would drop.
    await tab.page.evaluate(`window.send = WebSocket.prototype.send; WebSocket.prototype.send = () => undefined`);
    await world.moves(false);
    await until('the pad is off', () => hold('Forward').isDisabled());
    expect(await tab.page.getByRole('button', { name: 'Stop', exact: true }).isEnabled()).toBe(true);
    const there = await world.pose();
    await isFree();
    await tab.page.evaluate(`WebSocket.prototype.send = window.send`);
    await tab.context.setOffline(false);
    await tab.page.getByText('Connected').waitFor();
    await tab.page.getByRole('button', { name: TAKE }).waitFor();
    expect(await world.pose()).toEqual(there);
    const moving = posted.filter((one) => one.startsWith('/api/v2/jog') && !/"vx":0,"vy":0,"wz":0/.test(one));
    expect(moving).toEqual([]);
    expect(new Set(frames.map(({ seq }) => seq)).size).toBe(frames.length);
    await tab.page.mouse.up();
  });

  it('shows who has control, and lets an ADMIN take over, which stops the robot', async () => {
    await takeControl();
    await driveBy('Forward');
    const admin = await world.signIn('admin', '/#drive');
    await admin.page.locator('.control').getByText('user controls the robot.').waitFor();
    await admin.page.getByLabel('Reason').fill('somebody is in the way');
    await admin.page.getByRole('button', { name: 'Take over' }).click();
    await admin.page.getByText('You have control.').waitFor();
    await world.moves(false);
    await tab.page.locator('.control').getByText('admin controls the robot.').waitFor();
    expect(await tab.page.getByLabel('Reason').count()).toBe(0);
    await tab.page.mouse.up();
    await admin.page.getByRole('button', { name: 'Release control' }).click();
    await tab.page.getByText('Nobody controls the robot.').waitFor();
    expect(admin.offences).toEqual([]);
  });

  it('gives control to one of two tabs of the same person, and tells the other', async () => {
    const other = await world.open('/#drive', tab);
    await takeControl();
    await other.page.getByRole('button', { name: TAKE }).click();
    await other.page.getByRole('alert').getByText('user controls the robot.').waitFor();
    await tab.page.getByRole('button', { name: 'Release control' }).click();
    await other.page.getByText('Nobody controls the robot.').waitFor();
    await takeControl(other);
    await tab.page.locator('.control').getByText('user controls the robot.').waitFor();
  });

  it('goes to a pose, and says when it may not', async () => {
    const before = await world.pose();
    await tab.page.getByLabel('x (m)').fill('0.1');
    await tab.page.getByRole('button', { name: 'Go', exact: true }).click();
    await tab.page.getByRole('status').getByText('done').waitFor();
    await until('it has arrived', async () => Math.abs((await world.pose()).x - before.x) > 0.01);
    await world.moves(false);
    const admin = await world.signIn('admin', '/#drive');
    await takeControl(admin);
    await tab.page.getByRole('button', { name: 'Go', exact: true }).click();
    await tab.page.locator('.sent .problem').getByText('admin').waitFor();
  });
});
