import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { AccessLevel } from '../../../functions/shared/access.ts';
import { openKeyStore } from '../../../functions/shared/identity/adapters/key-store/open.ts';
import { keyStore } from '../../../functions/shared/identity/ports.ts';
import { give } from '../../../functions/shared/port.ts';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';
import { silentLogger, temporaryFolder, testConfig } from '../../support/world.ts';

const HOSTILE = '<b>phone</b>"><script>alert(1)</script>';

describeWith('Chromium', CHROMIUM, 'Keys in the console', () => {
  let world: ConsoleWorld;
  const tabs: Tab[] = [];

  const button = ({ page }: Tab, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const keysCard = ({ page }: Tab) =>
    page.locator('.card').filter({ has: page.getByRole('heading', { name: 'API keys', exact: true }) });
  async function open(
    level: AccessLevel,
    path = '/#keys',
    options: Parameters<ConsoleWorld['open']>[1] = {},
  ): Promise<Tab> {
    const { json } = await world.service.as(level, '/api/v2/auth/pairing', { method: 'POST', body: { level } });
    const tab = await world.open(`/#pair=${json.code}`, options);
    tabs.push(tab);
    await tab.page.getByRole('navigation', { name: 'Views' }).waitFor();
    await tab.page.goto(world.service.url + path);
    return tab;
  }

  beforeAll(async () => {
    const HOME = temporaryFolder();
    const keys = await openKeyStore(testConfig({ HOME }), silentLogger, Date.now);
    world = await new ConsoleWorld({ HOME, SERVICE_TLS_SELF_SIGNED: '1', SERVICE_TLS_PORT: '0' }, [
      give(keyStore, keys),
    ]).start();
  });
  afterEach(async () => {
    const offences = tabs.splice(0).flatMap((tab) => tab.offences);
    await world.closeTabs();
    expect(offences).toEqual([]);
  });
  afterAll(() => world.stop());

  it.each(SIZES)('makes a key, shows it once, and revokes it, on %s', async (_name, viewport) => {
    const tab = await open('ENCHANTER', '/#keys', { viewport });
    await tab.page.getByLabel('Name').fill(HOSTILE);
    await tab.page.getByLabel('Access level').last().selectOption('ADMIN');
    await button(tab, 'Make a key').click();
    const secret = await tab.page.getByLabel('The new key, shown this once').inputValue();
    const trade = await world.service.as(undefined, '/api/v2/auth/', { headers: { 'x-api-key': secret } });
    expect(trade.status).toBe(200);
    await button(tab, 'I have it').click();
    expect(await tab.page.content()).not.toContain(secret);
    await keysCard(tab).getByText(HOSTILE).waitFor();
    await button(tab, `Revoke ${HOSTILE}`).click();
    await tab.page.locator('.ask').getByRole('button', { name: 'Revoke' }).click();
    await until('it opens nothing any more', async () => {
      const { status } = await world.service.as(undefined, '/api/v2/auth/', { headers: { 'x-api-key': secret } });
      return status === 401;
    });
    await tab.page.getByLabel('Show revoked keys').check();
    await keysCard(tab)
      .getByText(/revoked \d/)
      .first()
      .waitFor();
  });

  it('asks again before the last key that opens everything is revoked', async () => {
    const body = { name: 'only one', level: 'ENCHANTER' };
    await world.service.as('ENCHANTER', '/api/v2/keys/', { method: 'POST', body });
    const tab = await open('ENCHANTER');
    await button(tab, 'Revoke only one').click();
    await tab.page.locator('.ask').getByRole('button', { name: 'Revoke' }).click();
    await keysCard(tab).getByText('the last ENCHANTER key').waitFor();
    await tab.page.locator('.ask').getByRole('button', { name: 'Revoke all the same' }).click();
    await tab.page.locator('.ask').waitFor({ state: 'detached' });
    await button(tab, 'Revoke only one').waitFor({ state: 'detached' });
  });

  it.each(SIZES)('signs another device in by a code that is good once, on %s', async (_name, viewport) => {
    const tab = await open('ADMIN', '/#keys', { viewport });
    await button(tab, 'Show a code').click();
    expect(await tab.page.getByLabel('Access level').locator('option').allInnerTexts()).toEqual(['USER', 'ADMIN']);
    await tab.page.getByRole('img', { name: 'QR code' }).waitFor();
    const { certificate } = (await world.service.as('USER', '/api/v2/certificate/')).json;
    await tab.page.getByText(certificate.sha256).waitFor();
    const link = await tab.page.getByText('/#pair=').innerText();
    expect(link).toMatch(/^https:/);
    const other = await world.open('/', { ignoreHTTPSErrors: true });
    tabs.push(other);
    await other.page.goto(link);
    await other.page.getByRole('navigation', { name: 'Views' }).waitFor();
    await other.page.locator('.account').getByText('USER').waitFor();
    expect(new URL(other.page.url()).hash).toBe('');
  });

  it('has nothing but pairing for those who may not make keys', async () => {
    const tab = await open('USER');
    await button(tab, 'Show a code').waitFor();
    expect(await tab.page.locator('main .card').count()).toBe(1);
    expect(await tab.page.getByLabel('Access level').locator('option').allInnerTexts()).toEqual(['USER']);
  });
});
