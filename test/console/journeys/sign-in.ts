import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { keyRecord } from '../../support/auth.ts';
import { describeWith } from '../../support/components.ts';
import {
  CHROMIUM,
  ConsoleWorld,
  keptBy,
  NOTHING_KEPT,
  SIZES,
  type Tab,
  textOf,
  VIEWS,
} from '../../support/console-world.ts';
import { http } from '../../support/http.ts';
import { until } from '../../support/processes.ts';

const HARDWARE = 'Not signed in. To stop the robot, use its hardware stop.';
const MAX_SHELL_BYTES = 60 * 1024;

describeWith('Chromium', CHROMIUM, 'The console, for somebody who signs in', () => {
  const world = new ConsoleWorld({ SERVICE_ROBOT_NAME: '<img src=x onerror=alert(1)>' });
  const offences: string[] = [];
  const watched = (tab: Tab) => {
    offences.push(...tab.offences);
    return tab;
  };
  beforeAll(() => world.start());
  afterEach(async () => {
    await world.closeTabs();
    expect(offences.splice(0)).toEqual([]);
  });
  afterAll(() => world.stop());

  it('loads at most 60 KB for its shell, compressed as browsers ask for it over plain HTTP', async () => {
    const page = await http(world.service.url, '/', { headers: { accept: 'text/html' } });
    const names = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, name]) => `/${name}`);
    const files = await Promise.all(
      names.map((name) => http(world.service.url, name, { headers: { 'accept-encoding': 'gzip, deflate' } })),
    );
    expect(files.map(({ headers }) => headers['content-encoding'])).toEqual(Array(4).fill('gzip'));
    const bytes = [page, ...files].reduce((sum, answer) => sum + answer.bytes.length, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_SHELL_BYTES);
  });

  it('points to the hardware stop until somebody is signed in', async () => {
    const tab = await world.open();
    await tab.page.getByText(HARDWARE).waitFor();
    expect(await tab.page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    watched(tab);
  });

  it("shows the service's own sentence for a wrong key, and empties the field", async () => {
    const tab = await world.open();
    await tab.page.getByLabel('API key').fill('rk_wrong');
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('alert').getByText('unknown, expired or revoked').waitFor();
    expect(await tab.page.getByLabel('API key').inputValue()).toBe('');
    watched(tab);
  });

  const pairingCode = async (): Promise<string> =>
    (await world.service.as('ADMIN', '/api/v2/auth/pairing', { method: 'POST', body: { level: 'ADMIN' } })).json.code;

  it('signs in with a pairing code, by its link or typed', async () => {
    const tab = await world.open(`/#pair=${await pairingCode()}`);
    await tab.page.getByRole('button', { name: 'Stop' }).waitFor();
    expect(new URL(tab.page.url()).hash).toBe('');
    await tab.page.getByText('ADMIN').waitFor();
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await tab.page.getByLabel('pairing code').fill(await pairingCode());
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('button', { name: 'Stop' }).waitFor();
    watched(tab);
  });

  it("shows the service's own sentence for a link whose code is over", async () => {
    const tab = await world.open('/#pair=q3VbX0m1rY6TzK8sWc2nDg');
    await tab.page.getByRole('alert').getByText('code').waitFor();
    expect(new URL(tab.page.url()).hash).toBe('');
    watched(tab);
  });

  it.each(SIZES)('keeps neither key nor token in the browser on %s, and signs out', async (_name, viewport) => {
    const tab = await world.signIn('user', '/', { viewport });
    expect(await keptBy(tab)).toEqual(NOTHING_KEPT);
    expect(await tab.page.content()).not.toContain('rk_user');
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await tab.page.getByText(HARDWARE).waitFor();
    await tab.page.reload();
    await tab.page.getByLabel('API key').waitFor();
    watched(tab);
  });

  it('is signed in by another tab of the same robot, and signed out with it', async () => {
    const first = await world.signIn('admin');
    const second = await world.open('/#drive', first);
    await second.page.getByRole('heading', { level: 1, name: 'Drive' }).waitFor();
    await first.page.getByRole('button', { name: 'Sign out' }).click();
    await second.page.getByText('Signed out in another tab.').waitFor();
    watched(second);
  });

  it('takes no token of another robot from another tab', async () => {
    const tab = await world.open();
    await tab.page.getByText(HARDWARE).waitFor();
    const foreign = `e30.${Buffer.from('{"aud":"robot-2"}').toString('base64url')}.c2ln`;
    const refreshes: string[] = [];
    tab.page.on('request', (request) => {
      if (request.url().includes('/auth/')) refreshes.push(request.url());
    });
    const other = await world.open('/status', tab);
    await other.page.evaluate(`new BroadcastChannel('robot-console / robot-1').postMessage(
      { type: 'token', token: '${foreign}' })`);
    const own = await world.service.token('USER');
    await other.page.evaluate(`new BroadcastChannel('robot-console / robot-1').postMessage(
      { type: 'token', token: '${own}' })`);
    await tab.page.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(refreshes).toHaveLength(1);
    watched(tab);
  });

  it('works below a prefix', async () => {
    const tab = await world.signIn('user', '/rest');
    const asked: string[] = [];
    tab.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await tab.page.getByRole('link', { name: 'Commands' }).click();
    await tab.page.getByRole('button', { name: /get_pose/ }).click();
    await tab.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await tab.page.locator('.chosen').getByText('done').waitFor();
    expect(asked.filter((path) => !path.startsWith('/rest/'))).toEqual([]);
    watched(tab);
  });

  it('shows hostile names as text', async () => {
    const hostile = '"><script>alert(1)</script>{{7*7}}\u202egnp.exe';
    const item = { id: hostile };
    const body = { tablename: 'known_locations_table', item };
    expect(await world.service.as('ADMIN', '/api/v2/database/add_item/', { method: 'POST', body })).toMatchObject({
      status: 200,
    });
    const tab = await world.signIn('admin', '/#drive');
    await until('the location is shown', async () => (await textOf(tab)).includes(hostile));
    expect(await textOf(tab)).toContain('<img src=x onerror=alert(1)>');
    expect(await tab.page.locator('img, script:not([type=module])').count()).toBe(0);
    watched(tab);
  });

  it('has no horizontal scrolling at 320 px', async () => {
    const tab = await world.signIn('enchanter', '/', { viewport: { width: 320, height: 640 } });
    for (const view of VIEWS) {
      await world.visit(tab, view);
      await tab.page.locator('main .card').first().waitFor();
      const wider = `[document.documentElement, document.querySelector('main')].map((one) => one.scrollWidth > one.clientWidth)`;
      expect([view, await tab.page.evaluate(wider)]).toEqual([view, [false, false]]);
    }
    watched(tab);
  });

  it('offers a reload when the service was updated, and does not reload by itself', async () => {
    const tab = await world.signIn('user');
    await tab.page.evaluate('window.isOld = true');
    await world.pretend(tab, { build: 'newer' });
    await tab.page.getByText('The service was updated.').waitFor();
    expect(await tab.page.evaluate('window.isOld')).toBe(true);
    watched(tab);
  });

  it('ends with the key, says why, and still offers stop', async () => {
    const tab = await world.signIn('user');
    const before = world.keys.records;
    world.keys.records = before.map((record) =>
      record.id === 'user' ? keyRecord('user', 'USER', { revoked_at: '2027-01-02T00:00:00Z' }) : record,
    );
    try {
      await tab.page.getByLabel('API key').waitFor();
      await until('it says why', async () => /revoked|no longer/.test(await textOf(tab)));
      await tab.page.getByText('stops with it are refused').waitFor();
      await tab.page.getByRole('button', { name: 'Stop' }).click();
      await tab.page.getByRole('alert').getByText('Not confirmed: use the hardware stop.').waitFor();
    } finally {
      world.keys.records = before;
    }
    watched(tab);
  });

  it('keeps an expired token for stop alone, as after a sleep', async () => {
    const tab = await world.signIn('user');
    world.aheadMs = 31 * 60_000;
    try {
      await tab.page.getByLabel('API key').waitFor();
      await tab.page.getByText('stop alone still works').waitFor();
      await tab.page.getByRole('button', { name: 'Stop' }).click();
      await tab.page.getByText('Confirmed: the robot stopped').waitFor();
    } finally {
      world.aheadMs = 0;
    }
    watched(tab);
  });
});
