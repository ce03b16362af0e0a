import { FenceFile } from '../../local-host/guard/fence-file.ts';

/** A guard in a process of its own: raises its word at each line it is told, and says so. */
const file = new FenceFile(process.argv[2] ?? '', 'guard');
process.stdin.on('data', () => {
  file.raise(Math.max(file.word('main'), file.word('guard')) + 1);
  process.stdout.write('raised\n');
});
process.stdout.write('ready\n');
