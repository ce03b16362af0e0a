import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { give } from '../../../functions/shared/port.ts';
import { simulatedServices } from '../../../functions/system/services/adapters/simulated.ts';
import type { LogEntry, ServiceManagers } from '../../../functions/system/services/port.ts';
import { serviceManagers } from '../../../functions/system/services/ports.ts';
import { describeWith } from '../../support/components.ts';
import { CHROMIUM, ConsoleWorld, SIZES, type Tab } from '../../support/console-world.ts';
import { until } from '../../support/processes.ts';

const MANY = 100_000;
const HOSTILE = '<img src=x onerror=alert(1)> \u001b[31mred';

/** The lines of one unit, written when a test says so. */
class Writer {
  readonly stream = new Readable({ objectMode: true, read() {} });
  written = 0;

  write(count: number, message = 'wheel turned'): void {
    for (let n = 0; n < count; n += 1) {
      this.written += 1;
      const timestamp = new Date(Date.now() + this.written).toISOString().replace('Z', '000Z');
      const entry: LogEntry = { timestamp, priority: 6, pid: 7, message: `${message} ${this.written}` };
      this.stream.push(entry);
    }
  }
}

describeWith('Chromium', CHROMIUM, 'Logs in the console', () => {
  let writer: Writer | undefined;
  const simulated = simulatedServices(Date.now);
  const managers: ServiceManagers = {
    ...simulated,
    systems: {
      ...simulated.systems,
      base: {
        ...simulated.systems.base,
        follow: async (_unit, _filter, signal) => {
          writer = new Writer();
          signal.addEventListener('abort', () => writer?.stream.destroy());
          return writer.stream;
        },
      },
    },
  };
  const world = new ConsoleWorld({}, [give(serviceManagers, managers)]);
  let tab: Tab;
  const pane = (system: string) =>
    tab.page.locator('.log-card').filter({ has: tab.page.getByRole('heading', { name: system }) });
  const lines = (system: string) => pane(system).locator('.lines p');
  const kept = async (): Promise<number> =>
    Number(/([0-9]+) lines/.exec(await pane('Base').locator('.caption').innerText())?.[1]);

  async function open(options: Parameters<ConsoleWorld['signIn']>[2] = {}): Promise<void> {
    tab = await world.signIn('admin', '/#logs', options);
    await until('base is followed', async () => {
      writer?.write(1, 'probe');
      return (await lines('Base').getByText('probe').count()) > 0;
    });
  }

  beforeAll(() => world.start());
  afterEach(async () => {
    expect(tab.offences).toEqual([]);
    await world.closeTabs();
  });
  afterAll(() => world.stop());

  it.each(SIZES)('shows head and base, follows, filters, and changes the service, on %s', async (_name, viewport) => {
    await open({ viewport });
    await lines('Head').first().waitFor();
    writer?.write(1, HOSTILE);
    await lines('Base').getByText('<img src=x').waitFor();
    expect(await tab.page.locator('img').count()).toBe(0);
    await pane('Base').getByLabel('Lines with').fill('ONERROR');
    await until('one fits', async () => (await lines('Base').count()) === 1);
    await pane('Base').getByLabel('Lines with').fill('no such text');
    await pane('Base').getByText('No line fits.').waitFor();
    await pane('Head').getByLabel('Service').selectOption('robot-vision.service');
    await until('its lines are shown', async () => (await lines('Head').count()) > 5);
  });

  it('keeps a page of one size while 100 000 lines come', async () => {
    await open();
    const session = await tab.context.newCDPSession(tab.page);
    const heap = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      return usedSize;
    };
    const write = async (count: number) => {
      for (let n = 0; n < count; n += 500) {
        writer?.write(500);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      total += count;
      // A browser that is slow may lose some: those that come after show that it follows on.
      const goal = writer?.written ?? 0;
      await until('the newest are shown', async () => {
        writer?.write(1);
        return Number(/\d+$/.exec(await lines('Base').last().innerText())?.[0]) >= goal;
      });
    };
    let total = 0;
    await write(20_000);
    const before = await heap();
    await write(MANY - total);
    expect((await heap()) - before).toBeLessThan(4_000_000);
    expect(await kept()).toBeLessThanOrEqual(11_000);
    expect(await tab.page.locator('.lines p').count()).toBeLessThan(300);
    await pane('Base')
      .getByText(/older lines were dropped/)
      .waitFor();
  });
});
