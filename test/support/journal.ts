import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Makes journal files from entries; comes with the package systemd-journal-remote. */
export const JOURNAL_REMOTE = '/lib/systemd/systemd-journal-remote';

export interface JournalEntry {
  /** Microseconds since the epoch. */
  readonly at: number;
  readonly unit: string;
  readonly message: string | Buffer;
  readonly pid?: number;
  readonly priority?: number;
}

const BOOT = '0123456789abcdef0123456789abcdef';
/** When that boot was: the order of entries follows the time since. */
const BOOTED = (Date.now() - 7 * 86_400_000) * 1000;

/** Writes entries, oldest first, into a journal file that journalctl reads. One writer a file at a time. */
export class JournalWriter {
  readonly #child;

  constructor(folder: string, name = 'system') {
    mkdirSync(folder, { recursive: true });
    const output = `--output=${join(folder, `${name}.journal`)}`;
    this.#child = spawn(JOURNAL_REMOTE, [output, '--split-mode=none', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
  }

  async write(entries: Iterable<JournalEntry>): Promise<void> {
    let batch: Buffer[] = [];
    for (const entry of entries) {
      batch.push(exportFormat(entry));
      if (batch.length < 500) continue;
      if (!this.#child.stdin.write(Buffer.concat(batch))) await once(this.#child.stdin, 'drain');
      batch = [];
    }
    this.#child.stdin.write(Buffer.concat(batch));
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.stdin.end();
    await gone;
  }
}

/** A journal file with these entries. */
export async function writeJournal(folder: string, entries: Iterable<JournalEntry>, name?: string): Promise<void> {
  const writer = new JournalWriter(folder, name);
  await writer.write(entries);
  await writer.close();
}

/** An entry in systemd's export format, its message in the form for bytes. */
function exportFormat({ at, unit, message, pid = 1, priority = 6 }: JournalEntry): Buffer {
  const bytes = Buffer.from(message);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(bytes.length));
  const fields = [
    `__REALTIME_TIMESTAMP=${at}`,
    `__MONOTONIC_TIMESTAMP=${at - BOOTED}`,
    `_BOOT_ID=${BOOT}`,
    `_SYSTEMD_UNIT=${unit}`,
    `_PID=${pid}`,
    `PRIORITY=${priority}`,
  ];
  return Buffer.concat([Buffer.from(`${fields.join('\n')}\nMESSAGE\n`), size, bytes, Buffer.from('\n\n')]);
}

/** Settings of a robot whose journals are in these folders, with the units whose log may be read. */
export function journalSettings(head: string, base: string, units: string): Record<string, string> {
  return {
    SERVICE_MODE: 'robot',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_JOURNAL_DIR: head,
    SERVICE_BASE_JOURNAL_DIR: base,
    SERVICE_ALLOWED_UNITS: units,
  };
}
