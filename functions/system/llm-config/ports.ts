import { type Port, port } from '../../shared/port.ts';
import type { LlmConfigFile } from './port.ts';

/** The language-model configuration (SERVICE_LLM_CONFIG_PATH). */
export const llmConfigFile: Port<LlmConfigFile> = /* @__PURE__ */ port(
  'llm configuration',
  async ({ config, logger }) => {
    const { openLlmConfigFile } = await import('./adapters/open.ts');
    return openLlmConfigFile(config, logger);
  },
);
