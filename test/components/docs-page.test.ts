import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describeWith } from '../support/components.ts';
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

describeWith('Chromium', CHROMIUM, 'the documentation page in a real browser', () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startTestService();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await service.stop();
  }, 30_000);

  /** A page, everything it asked the network for, and everything it complained about. */
  async function open(path: string) {
    const page = await browser.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.setDefaultTimeout(45_000);
    await page.goto(service.url + path);
    await page.waitForSelector('.opblock');
    return { page, requests, complaints };
  }

  const expand = async (page: Page, operation: string) => {
    await page.click(`#${operation} .opblock-summary-control`);
    await page.waitForSelector(`#${operation} .opblock-body`);
  };

  it.each(['/docs', '/docs/', '/rest/docs', '/rest/docs/'])(
    '%s shows the operations and loads nothing from elsewhere',
    async (path) => {
      const { page, requests, complaints } = await open(path);
      expect(await page.textContent('.opblock-summary-path[data-path="/status"]')).toContain('/status');
      expect(await page.locator('.opblock').count()).toBeGreaterThan(20);
      const elsewhere = requests.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'));
      expect(elsewhere).toEqual([]);
      expect(requests).toContain(`${service.url}${path.startsWith('/rest') ? '/rest' : ''}/openapi.json`);
      expect(complaints).toEqual([]);
      await page.close();
    },
    60_000,
  );

  it('lets a person try an operation, below the prefix the page came from', async () => {
    const { page, requests, complaints } = await open('/rest/docs');
    const operation = 'operations-Status_and_documentation-getStatus';
    await expand(page, operation);
    await page.click(`#${operation} .try-out__btn`);
    await page.click(`#${operation} .execute`);
    await page.waitForSelector(`#${operation} .live-responses-table tbody .response-col_status`);
    expect(await page.textContent(`#${operation} .live-responses-table tbody .response-col_status`)).toContain('200');
    expect(requests).toContain(`${service.url}/rest/status`);
    expect(complaints).toEqual([]);
    await page.close();
  }, 60_000);

  it('does not keep a token that was typed into it', async () => {
    const { page } = await open('/docs');
    await page.click('.btn.authorize');
    await page.fill('.auth-container input[aria-label="auth-bearer-value"]', 'a-secret-token');
    await page.click('.auth-container .btn.authorize');
    await page.waitForSelector('.auth-container button:has-text("Logout")');
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).toBe('[{},{},""]');
    await page.close();
  }, 60_000);
});
