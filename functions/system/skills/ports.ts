import { type Port, port } from '../../shared/port.ts';
import { writeGate } from '../../shared/ports.ts';
import type { PythonParser } from './python-parser.port.ts';
import type { SkillFiles } from './skill-files.port.ts';

/** The skills folder (SERVICE_SKILLS_DIR). */
export const skillFiles: Port<SkillFiles> = /* @__PURE__ */ port('skills folder', async (ports) => {
  const { openSkillFiles } = await import('./adapters/folder/open.ts');
  return openSkillFiles(ports.config, ports.logger, await ports.get(writeGate));
});

/** The interpreter that parses skills (SERVICE_SKILL_PYTHON). */
export const pythonParser: Port<PythonParser> = /* @__PURE__ */ port('python parser', async ({ config, logger }) => {
  const { openPythonParser } = await import('./adapters/python/open.ts');
  return openPythonParser(config, logger);
});
