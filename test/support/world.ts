import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../functions/shared/config.ts';
import { createLogger, type Logger } from '../../functions/shared/observability/logger.ts';
import { Ports, type Surroundings } from '../../functions/shared/port.ts';

const folders: string[] = [];
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh private folder, removed when the test process ends. */
export function temporaryFolder(prefix = 'robot-rest-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  return folder;
}

/** A configuration as a fresh machine gives it, at home in a temporary folder. */
export function testConfig(settings: Record<string, string> = {}): Config {
  const home = settings.HOME ?? temporaryFolder();
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    SERVICE_PORT: '0',
    SERVICE_ROBOT_ID: 'robot-1',
    SERVICE_SOCKET_PATH: join(home, 'rest_api.sock'),
    ...settings,
  };
  return loadConfig(environment).config;
}

export const silentLogger = createLogger('silent');

/** A logger whose lines from this level on are kept in `lines`. */
export function loggerInto(lines: string[], level: Parameters<typeof createLogger>[0]): Logger {
  return createLogger(level, { write: (line: string) => void lines.push(line) });
}

/** Ports over a test configuration; `given` ones stand in for what the configuration would choose. */
export function testPorts(surroundings: Partial<Surroundings> = {}): Ports {
  return new Ports({ config: testConfig(), logger: silentLogger, ...surroundings });
}
