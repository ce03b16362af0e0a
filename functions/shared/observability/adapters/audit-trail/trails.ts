import type { AuditEntry, AuditFilter, AuditPage, AuditTrail } from '../../audit-trail.port.ts';
import type { Logger } from '../../logger.ts';
import { AuditFile, type Series } from './file.ts';
import { FOLDING_MS, Folding } from './folding.ts';
import { withoutSecrets } from './mask.ts';
import { byTime, merged, pageOf } from './page.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What changes who may do what, or what the robot runs. No number of commands or rows pushes these out. */
const LASTING = /^(?:key|signing-key|skill|token|network|llm_config|backup|incident)\.|^database\.(?:clear|restore)$/;
/** 64 MiB in all, of which what is older than 400 days goes. */
export const LASTING_SERIES: Series = { fileBytes: 4 * 1024 * 1024, keptFiles: 15, keptMs: 400 * DAY_MS };

interface AuditPaths {
  /** Of commands and rows. */
  readonly everyday: string;
  /** Of keys, skills, restores, clears, Wi-Fi, publishers and configuration. */
  readonly lasting: string;
}

/** Two series of files, read as one. What lasts also goes to the log, which leaves the robot. */
export class AuditTrails implements AuditTrail {
  readonly #everyday: AuditFile;
  readonly #lasting: AuditFile;
  readonly #folding: Folding;
  readonly #onAppend: (entry: AuditEntry) => void;

  /** @param onAppend is told of each entry at once, without secrets and before equal ones are folded. */
  constructor(
    paths: AuditPaths,
    logger: Logger,
    lastingSeries = LASTING_SERIES,
    onAppend: (entry: AuditEntry) => void = () => undefined,
  ) {
    this.#onAppend = onAppend;
    this.#everyday = new AuditFile(paths.everyday, logger);
    this.#lasting = new AuditFile(paths.lasting, logger, lastingSeries);
    this.#folding = new Folding((entry) => {
      if (!LASTING.test(entry.action)) return this.#everyday.append(entry);
      this.#lasting.append(entry);
      logger.info({ audit: entry }, 'audit');
    });
  }

  append(entry: AuditEntry): void {
    const masked = { ...entry, subject: withoutSecrets(entry.subject) };
    this.#folding.take(masked);
    this.#onAppend(masked);
  }

  read(filter: AuditFilter): Promise<AuditPage> {
    this.#folding.flush();
    const both = merged(
      byTime(this.#lasting.newestFirst(), FOLDING_MS),
      byTime(this.#everyday.newestFirst(), FOLDING_MS),
    );
    return pageOf(both, filter);
  }

  problem(): string | undefined {
    return this.#everyday.problem() ?? this.#lasting.problem();
  }

  async close(): Promise<void> {
    this.#folding.close();
    await Promise.all([this.#everyday.close(), this.#lasting.close()]);
  }
}
