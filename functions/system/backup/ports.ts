import { unavailable } from '../../shared/errors.ts';
import { type Port, port } from '../../shared/port.ts';
import { writeGate } from '../../shared/ports.ts';
import type { DatabaseFiles, RobotArchives } from './port.ts';

/** Opens the robot's database as a file; provided by the host. */
export const robotDatabase: Port<() => Promise<DatabaseFiles>> = /* @__PURE__ */ port('robot database', () => {
  throw unavailable('backup', 'It is only available on the robot itself.');
});

/** Refuses with busy while the robot moves or somebody drives it; provided by the host. */
export const stillness: Port<() => Promise<void>> = /* @__PURE__ */ port('stillness', () => async () => {});

/** Why the service could not read a file as the language model's configuration; provided by the host. */
export const languageModelProblem: Port<(path: string) => Promise<string | undefined>> = /* @__PURE__ */ port(
  'language model problem',
  () => async () => undefined,
);

/** The whole robot in one file. */
export const robotArchives: Port<RobotArchives> = /* @__PURE__ */ port('robot archives', async (ports) => {
  const { LocalArchives } = await import('./adapters/archives.ts');
  const { config, clock, logger } = ports;
  return new LocalArchives({
    config,
    clock,
    logger,
    database: await ports.get(robotDatabase),
    gate: await ports.get(writeGate),
    languageModelProblem: await ports.get(languageModelProblem),
    assertStill: await ports.get(stillness),
  });
});
