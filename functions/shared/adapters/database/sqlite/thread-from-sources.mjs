/** Starts the database thread from the TypeScript sources: a thread does not inherit the main thread's loader. */
import 'kysely'; // some hundred files, which load faster before the loader of the next line looks at each
import { register } from 'tsx/esm/api';

register();
await import('./thread.ts');
