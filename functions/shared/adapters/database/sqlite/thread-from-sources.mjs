/** Starts the database thread from the TypeScript sources: a thread does not inherit the main thread's loader. */
import { register } from 'tsx/esm/api';

register();
await import('./thread.ts');
