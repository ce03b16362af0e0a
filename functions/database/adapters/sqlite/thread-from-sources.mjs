/** Starts the database thread from the TypeScript sources. */
import { runFromSources } from '../../../../scripts/thread-from-sources.mjs';

await runFromSources('database-thread');
