import type { Config } from '../../../config.ts';
import type { JsonObject } from '../../../kit/json.ts';

const MIB = 1024 * 1024;
/** Descriptors of each process of a run. */
const DESCRIPTORS = 256;
/** Lower priority than the service's. */
const NICE = 10;

export interface RunLimits extends JsonObject {
  readonly rlimits: Readonly<Record<string, number>>;
  readonly nice: number;
  readonly cores: number;
}

type Settings = Pick<Config, 'SERVICE_SKILL_MEMORY_MB' | 'SERVICE_SKILL_TASKS' | 'SERVICE_SKILL_DISK_MB'>;

/** What a run may use, for the bootstrap to set before it touches the skill. `tasks` counts its own user only. */
export function limitsOf(config: Settings, { countsTasks }: { readonly countsTasks: boolean }): RunLimits {
  return {
    rlimits: {
      RLIMIT_AS: config.SERVICE_SKILL_MEMORY_MB * MIB,
      RLIMIT_FSIZE: config.SERVICE_SKILL_DISK_MB * MIB,
      RLIMIT_CORE: 0,
      RLIMIT_NOFILE: DESCRIPTORS,
      ...(countsTasks && { RLIMIT_NPROC: config.SERVICE_SKILL_TASKS }),
    },
    nice: NICE,
    cores: 1,
  };
}
