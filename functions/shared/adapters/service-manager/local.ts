import type { Config } from '../../config.ts';
import { start } from '../child-process/start.ts';
import type { Machine } from './machine.ts';

/** The computer this service runs on: the head. */
export function localMachine(config: Config): Machine {
  const environment = { ...config.childEnvironment, LANG: 'C.UTF-8' };
  return {
    system: 'head',
    journalDir: config.SERVICE_JOURNAL_DIR,
    start: async (words, limits) => start(words, { environment, ...limits }),
    close() {},
  };
}
