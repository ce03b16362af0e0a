import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { makePrivateFolder } from '../files/replace-file.ts';
import { codeOf } from '../files/watched-file.ts';
import type { LastConfigure, WifiRecord } from './port.ts';

const Kept = z.strictObject({
  ssid: z.string(),
  outcome: z.enum(['in_progress', 'connected', 'failed', 'interrupted']),
  code: z.string().exactOptional(),
  finished_at: z.string().nullable(),
});

/**
 * Keeps the record in one small file, which holds no secret. A file that cannot be read or written costs the memory over
 * a restart only: it is logged, and nothing fails because of it.
 */
export function fileRecord(path: string, clock: () => number, logger: Logger): WifiRecord {
  let running = false;
  let closed = false;
  let latest: Promise<LastConfigure | null> | undefined;

  function last(): Promise<LastConfigure | null> {
    latest ??= read();
    return latest;
  }

  async function read(): Promise<LastConfigure | null> {
    try {
      const kept = Kept.parse(JSON.parse(await readFile(path, 'utf8')));
      return kept.outcome === 'in_progress' ? { ...kept, outcome: 'interrupted' } : kept;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        logger.warn({ err: error }, 'the record of the last Wi-Fi configure cannot be read');
      return null;
    }
  }

  async function remember(record: LastConfigure): Promise<void> {
    if (closed) return;
    latest = Promise.resolve(record);
    await write(path, JSON.stringify(record)).catch((error: unknown) => {
      logger.warn({ err: error }, 'the record of the Wi-Fi configure cannot be written');
    });
  }

  return {
    last,
    async start(ssid) {
      if (running) {
        throw new ServiceError('busy', {
          detail: 'Another Wi-Fi configure is going on. Its outcome will stand in last_configure of get_wifi_list.',
          headers: { 'retry-after': '10' },
        });
      }
      running = true;
      await remember({ ssid, outcome: 'in_progress', finished_at: null });
    },
    async finish(outcome, code) {
      const ssid = (await last())?.ssid ?? '';
      const finished_at = new Date(clock()).toISOString();
      await remember({ ssid, outcome, ...(code === undefined ? {} : { code }), finished_at });
      running = false;
    },
    close() {
      closed = true;
    },
  };
}

async function write(path: string, text: string): Promise<void> {
  makePrivateFolder(dirname(path));
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
