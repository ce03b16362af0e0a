import { type Port, port } from '../../shared/port.ts';
import type { ConsoleFiles, StopPorts } from './port.ts';

/** The files of the console: from the bundle, or built when first asked for where the service runs from its sources. */
export const consoleFiles: Port<ConsoleFiles> = /* @__PURE__ */ port('console', async () => {
  const { openConsoleFiles } = await import('./adapters/console-files.ts');
  return openConsoleFiles();
});

/** Where the page may send stops besides; provided by the host. */
export const stopPorts: Port<() => StopPorts | null> = /* @__PURE__ */ port('stop ports', () => () => null);
