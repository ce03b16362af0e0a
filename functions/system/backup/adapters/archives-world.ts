import type { Config } from '../../../shared/config.ts';
import type { WriteGate } from '../../../shared/kit/write-gate.ts';
import type { Logger } from '../../../shared/observability/logger.ts';
import type { DatabaseFiles } from '../port.ts';

/** What the archives of this machine's robot need. */
export interface ArchivesWorld {
  readonly config: Config;
  readonly clock: () => number;
  readonly logger: Logger;
  readonly database: () => Promise<DatabaseFiles>;
  /** What writes to the robot's files go through. */
  readonly gate: WriteGate;
  /** Why the service could not read a file as the language model's configuration, as a sentence. */
  readonly languageModelProblem: (path: string) => Promise<string | undefined>;
  /** Error: busy, while the robot moves or somebody drives it. */
  readonly assertStill: () => Promise<void>;
}
