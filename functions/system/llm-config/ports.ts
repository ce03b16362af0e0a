import { type Port, port } from '../../shared/port.ts';
import { writeGate } from '../../shared/ports.ts';
import { contentProblem } from './content-problem.ts';
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

/** Why the service could not read a file as its language-model configuration; undefined if it could. */
export const llmConfigProblem: Port<(path: string) => Promise<string | undefined>> = /* @__PURE__ */ port(
  'llm configuration problem',
  async (ports) => {
    const { readContent } = await import('./adapters/content.ts');
    const work = await ports.get(yamlWork);
    return (path) =>
      contentProblem({ llmConfigFile: { read: async () => (await readContent(path)).bytes }, yamlWork: work });
  },
);
