import type { Config } from '../../../shared/config.ts';
import { start } from '../../../shared/kit/child-process/start.ts';
import type { Machine } from './machine.ts';

/** The computer that this service runs on: the head. */
export function localMachine(config: Config): Machine {
  const environment = { ...config.childEnvironment, LANG: 'C.UTF-8' };
  return {
    system: 'head',
    journalDir: config.SERVICE_JOURNAL_DIR,
    start: async (command, limits) => start(command, { environment, ...limits }),
    close() {},
  };
}
