import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describeWith } from '../support/components.ts';
import { served } from '../support/openapi-document.ts';
import { until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

const CHROMIUM = '/usr/bin/chromium';
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

describeWith('Chromium', CHROMIUM, 'The documentation page in a real browser', () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startTestService();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  /** A page, everything it asked the network for, and everything it complained about. */
  async function load(path: string) {
    const page = await browser.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.setDefaultTimeout(300_000);
    await page.goto(service.url + path);
    return { page, requests, complaints };
  }

  /** A page that shows its groups of operations, which takes seconds. */
  async function open(path: string) {
    const loaded = await load(path);
    await loaded.page.waitForSelector('.opblock-tag-section');
    return loaded;
  }

  /** Opens a group. @returns how many operations the page shows then. */
  async function openGroup(page: Page, name: string) {
    await page.click(`.opblock-tag-section h3[data-tag="${name}"]`);
    await page.waitForSelector('.opblock');
    return page.locator('.opblock').count();
  }

  const elsewhere = (requests: readonly string[]) =>
    requests.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'));

  const expand = async (page: Page, operation: string) => {
    await page.click(`#${operation} .opblock-summary-control`);
    await page.waitForSelector(`#${operation} .opblock-body`);
  };

  it.each(['/docs', '/rest/docs/'])('%s loads its document from next to it', async (path) => {
    const { page, requests, complaints } = await load(path);
    const document = `${service.url}${path.startsWith('/rest') ? '/rest' : ''}/openapi.json`;
    await until('it has asked for it', () => requests.includes(document), 300_000);
    expect(elsewhere(requests)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows the operations, loads nothing from elsewhere, and lets users try one below the prefix of the page', async () => {
    const { page, requests, complaints } = await open('/rest/docs');
    expect(await openGroup(page, 'Status and documentation')).toBeGreaterThan(10);
    expect(await page.textContent('.opblock-summary-path[data-path="/status"]')).toContain('/status');
    expect(requests).toContain(`${service.url}/rest/openapi.json`);
    const operation = 'operations-Status_and_documentation-getStatus';
    await expand(page, operation);
    await page.click(`#${operation} .try-out__btn`);
    await page.click(`#${operation} .execute`);
    await page.waitForSelector(`#${operation} .live-responses-table tbody .response-col_status`);
    expect(await page.textContent(`#${operation} .live-responses-table tbody .response-col_status`)).toContain('200');
    expect(requests).toContain(`${service.url}/rest/status`);
    expect(elsewhere(requests)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows the operations to those who end its address with a slash, and does not persist a token', async () => {
    const { page, requests, complaints } = await open('/docs/');
    expect(await page.locator('.opblock-tag-section').count()).toBe(served.tags.length);
    expect(requests).toContain(`${service.url}/openapi.json`);
    await page.click('.btn.authorize');
    await page.fill('.auth-container input[aria-label="auth-bearer-value"]', 'a-secret-token');
    await page.click('.auth-container .btn.authorize');
    await page.waitForSelector('.auth-container button:has-text("Logout")');
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    expect(elsewhere(requests)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
