import { isMainThread } from 'node:worker_threads';
import { checkSnapshot } from './check-snapshot.ts';
import { runJobs } from './thread-jobs.ts';

// Entry of the database threads. Run as a process of its own, it checks the file that its argument names.

if (isMainThread) process.stdout.write(JSON.stringify(checkSnapshot(process.argv[2] ?? '')));
else runJobs();
