import { type Port, port } from '../../shared/port.ts';
import { writeGate } from '../../shared/ports.ts';
import type { LlmConfigFile } from './port.ts';

/** The language-model configuration (SERVICE_LLM_CONFIG_PATH). */
export const llmConfigFile: Port<LlmConfigFile> = /* @__PURE__ */ port('llm configuration', async (ports) => {
  const { openLlmConfigFile } = await import('./adapters/open.ts');
  return openLlmConfigFile(ports.config, ports.logger, await ports.get(writeGate));
});
