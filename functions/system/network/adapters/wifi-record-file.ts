import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { ServiceError } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { replaceFileAsync } from '../../../shared/kit/files/replace-file-async.ts';
import type { Logger } from '../../../shared/observability/logger.ts';
import { LastConfigure } from '../wifi-list.schema.ts';
import type { WifiRecord } from '../wifi-record.ts';

const StoredRecord = z.strictObject(LastConfigure.shape);

/**
 * Keeps the record in one small file without secrets. If the file cannot be read or written, that is logged and the
 * record is lost on restart, but nothing fails.
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
      const stored = StoredRecord.parse(JSON.parse(await readFile(path, 'utf8')));
      return stored.outcome === 'in_progress' ? { ...stored, outcome: 'interrupted' } : stored;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        logger.warn({ err: error }, 'could not read the record of the last Wi-Fi configuration');
      return null;
    }
  }

  async function remember(record: LastConfigure): Promise<void> {
    if (closed) return;
    latest = Promise.resolve(record);
    try {
      makePrivateFolder(dirname(path));
      await replaceFileAsync(path, JSON.stringify(record));
    } catch (error) {
      logger.warn({ err: error }, 'could not write the record of the Wi-Fi configuration');
    }
  }

  return {
    last,
    async start(ssid) {
      if (running) {
        throw new ServiceError('busy', {
          detail:
            'Another Wi-Fi configuration is in progress. Its outcome will appear in last_configure of get_wifi_list.',
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
