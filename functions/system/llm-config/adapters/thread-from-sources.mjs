/** Starts the thread of the configuration from the TypeScript sources. */
import { runFromSources } from '../../../../scripts/thread-from-sources.mjs';

await runFromSources('llm-config-thread');
