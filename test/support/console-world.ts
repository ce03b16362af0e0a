import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give, type Surroundings } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from './auth.ts';
import { until } from './processes.ts';
import { startTestService, type TestService } from './service.ts';
import { temporaryFolder } from './world.ts';

export const CHROMIUM = '/usr/bin/chromium';
export const SIZES = [
  ['a phone', { width: 360, height: 740 }],
  ['a desk', { width: 1440, height: 900 }],
] as const;

/** All views, as an ENCHANTER has them. */
export const VIEWS = [
  'Overview',
  'Drive',
  'Commands',
  'Skills',
  'Database',
  'Network',
  'Sound',
  'Logs',
  'Services',
  'Language model',
  'Keys',
  'Backups',
  'Audit',
] as const;

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** CI machines stall for seconds. */
const PATIENCE_MS = process.env.CI === 'true' ? 60_000 : 15_000;

let browser: Promise<Browser> | undefined;

/** One for all journeys of a test file, which closes it at its end: the first page of a browser takes seconds. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

type ContextOptions = Parameters<Browser['newContext']>[0];

/** A page, and everything about it that nobody may see: policy violations, errors, requests to others. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly offences: string[];
}

/** A service with keys `rk_user`, `rk_admin` and `rk_enchanter`, and a browser. */
export class ConsoleWorld {
  readonly #settings: Record<string, string>;
  readonly #contexts: BrowserContext[] = [];
  /** How far the clock of the service is ahead, in ms. */
  aheadMs = 0;
  keys = new FakeKeyStore([
    keyRecord('user', 'USER'),
    keyRecord('admin', 'ADMIN'),
    keyRecord('enchanter', 'ENCHANTER'),
  ]);
  service!: TestService;

  readonly #given: NonNullable<Surroundings['given']>;

  /** @param given stands in for parts of the service, which otherwise has the keys of the tests. */
  constructor(settings: Record<string, string> = {}, given: NonNullable<Surroundings['given']> = []) {
    this.#settings = { HOME: temporaryFolder(), ...settings };
    const hasKeys = given.some(([which]) => which === keyStore);
    this.#given = hasKeys ? given : [give(keyStore, this.keys), ...given];
  }

  async start(): Promise<this> {
    await this.startService();
    await sharedBrowser();
    return this;
  }

  /** Again on the same port. */
  async startService(): Promise<void> {
    const port = this.service === undefined ? '0' : new URL(this.service.url).port;
    const settings = {
      SERVICE_ROBOT_NAME: 'Pip',
      ...this.#settings,
      SERVICE_PORT: port,
      SERVICE_STOP_PORT: '0',
      SERVICE_EVENTS_PORT: '',
    };
    const clock = () => Date.now() + this.aheadMs;
    this.service = await startTestService({ settings, clock, given: this.#given });
  }

  async stop(): Promise<void> {
    await this.closeTabs();
    await this.service?.stop();
  }

  /** Closes what a test has opened. */
  async closeTabs(): Promise<void> {
    for (const context of this.#contexts.splice(0)) {
      // Requests that are being answered by a test are not its failure when they are cut off.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  }

  /** Another tab of the same browser session, or one of a session of its own. */
  async open(path = '/', options: ContextOptions | Tab = {}): Promise<Tab> {
    const shared = 'page' in options ? options : undefined;
    const context =
      shared?.context ??
      (await (
        await sharedBrowser()
      ).newContext({ viewport: SIZES[1][1], ...(shared ? {} : (options as ContextOptions)) })); // as: not a tab
    if (!shared) this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const tab: Tab = { page, context, offences: shared?.offences ?? [] };
    this.#watch(tab);
    await page.goto(this.service.url + path);
    return tab;
  }

  async signIn(key: 'user' | 'admin' | 'enchanter', path = '/', options: ContextOptions = {}): Promise<Tab> {
    const tab = await this.open(path, options);
    await tab.page.getByLabel('API key').fill(`rk_${key}`);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('navigation', { name: 'Views' }).waitFor();
    return tab;
  }

  /** Opens a view by its link. */
  async visit({ page }: Tab, view: string): Promise<void> {
    await page.getByRole('link', { name: view, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
  }

  /** Changes what a page hears of the status of the service. */
  async pretend({ page }: Tab, change: object): Promise<void> {
    const { json } = await this.service.as(undefined, '/status');
    await page.route('**/status', (route) => route.fulfill({ json: { ...json, ...change } }));
  }

  /** What the robot says of itself. */
  async pose(): Promise<{ x: number; y: number; theta: number; moving: boolean }> {
    return (await this.service.as('USER', '/api/v2/get/get_pose')).json.result;
  }

  async moves(expected: boolean): Promise<void> {
    await until(
      `the robot ${expected ? 'moves' : 'stands still'}`,
      async () => (await this.pose()).moving === expected,
    );
  }

  /** Requests beside the service and its stop, and complaints of the browser, but for failed requests. */
  #watch({ page, offences }: Tab): void {
    const host = new URL(this.service.url).hostname;
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.hostname !== host && url.protocol !== 'data:') offences.push(`asked ${request.url()}`);
    });
    page.on('pageerror', (error) => offences.push(error.stack ?? error.message));
    page.on('dialog', (dialog) => {
      offences.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => {
      const isNetwork = /^Failed to load resource|WebSocket connection to/.test(message.text());
      if (message.type() === 'error' && !isNetwork) offences.push(message.text());
    });
  }
}

/** What the browser keeps of a page. */
export async function keptBy({ page, context }: Tab): Promise<unknown> {
  const inPage = await page.evaluate(`Promise.all([caches.keys().catch(() => []), indexedDB.databases()]).then(
    ([cached, databases]) => ({ cached, databases, local: { ...localStorage }, session: { ...sessionStorage } }),
  )`);
  return { inPage, cookies: await context.cookies() };
}

export const NOTHING_KEPT = { inPage: { cached: [], databases: [], local: {}, session: {} }, cookies: [] };

/** Text of the page that can be seen, in one line. */
export async function textOf({ page }: Tab): Promise<string> {
  return (await page.locator('body').innerText()).replace(/\s+/g, ' ');
}
