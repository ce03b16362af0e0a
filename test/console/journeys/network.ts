import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { give } from '../../../functions/shared/port.ts';
import { wifi } from '../../../functions/system/network/ports.ts';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { FakeWifi, heard } from '../../support/fake-wifi.ts';
import { until } from '../../support/processes.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>';

describeWith('Chromium', CHROMIUM, 'The network in the console', () => {
  const radio = new FakeWifi();
  const world = new ConsoleWorld({}, [give(wifi, radio)]);
  let tab: Tab;

  const joinButton = (name: string) => tab.page.getByRole('button', { name: `Join ${name}`, exact: true });
  const says = (text: string) => tab.page.locator('main').getByText(text).first().waitFor();
  const submit = () => tab.page.getByRole('button', { name: 'Join', exact: true }).click();
  async function open(options: Parameters<ConsoleWorld['signIn']>[2] = {}): Promise<void> {
    tab = await world.signIn('admin', '/#network', options);
  }

  beforeAll(() => world.start());
  beforeEach(() => {
    radio.known = radio.scanned = [heard('Kitchen', 'wpa-psk', 70), heard(HOSTILE, 'open', 20)];
    radio.fail = {};
    radio.wait = Promise.resolve();
  });
  afterEach(async () => {
    expect(tab.offences).toEqual([]);
    await world.closeTabs();
  });
  afterAll(() => world.stop());

  it.each(SIZES)('scans, warns, joins, and shows what happened last, on %s', async (_name, viewport) => {
    await open({ viewport });
    radio.scanned = [...radio.known, heard('Attic', 'open', 90)];
    await tab.page.getByRole('button', { name: 'Scan again' }).click();
    await joinButton('Attic').waitFor();
    await joinButton('Kitchen').click();
    await says('the connection breaks off, and Stop with it');
    await tab.page.getByLabel('Password').fill('short');
    await submit();
    await tab.page.getByRole('alert').getByText('8 to 63').waitFor();
    await tab.page.getByLabel('Password').fill('long enough');
    await submit();
    await says('The robot joined Kitchen.');
    expect(radio.profile).toMatchObject({ ssid: 'Kitchen', credentials: { password: 'long enough' } });
    expect(await tab.page.getByLabel('Password').count()).toBe(0);
  });

  it('joins a network with a name made to hurt, and shows it as text', async () => {
    await open();
    await joinButton(HOSTILE).click();
    await submit();
    await until('it is joined', () => radio.profile?.ssid === HOSTILE);
    await says(`The robot joined ${HOSTILE}.`);
    expect(await tab.page.locator('img').count()).toBe(0);
  });

  it('comes back after a join that has cut its own link, and says what became of it', async () => {
    await open();
    let arrive = () => {};
    radio.wait = new Promise((resolve) => {
      arrive = resolve;
    });
    await joinButton('Kitchen').click();
    await tab.page.getByLabel('Password').fill('long enough');
    radio.profile = undefined;
    await submit();
    await until('it is joining', () => radio.profile !== undefined);
    await tab.context.setOffline(true);
    await tab.page.locator('main.stale').waitFor();
    await says('No answer came.');
    arrive();
    await tab.context.setOffline(false);
    await says('The robot joined Kitchen.');
  });
});
