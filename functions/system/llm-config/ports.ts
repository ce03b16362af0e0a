import { type Port, port } from '../../shared/port.ts';
import { writeGate } from '../../shared/ports.ts';
import type { LlmConfigFile, YamlWork } from './port.ts';

/** The language-model configuration (SERVICE_LLM_CONFIG_PATH). */
export const llmConfigFile: Port<LlmConfigFile> = /* @__PURE__ */ port('llm configuration', async (ports) => {
  const { openLlmConfigFile } = await import('./adapters/open.ts');
  return openLlmConfigFile(ports.config, ports.logger, await ports.get(writeGate));
});

/** Parses and changes its text, large ones in a thread. */
export const yamlWork: Port<YamlWork> = /* @__PURE__ */ port('yaml work', async () => {
  const { YamlThread } = await import('./adapters/yaml-thread.ts');
  return new YamlThread();
});
