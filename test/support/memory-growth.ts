import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The most that the resident memory of a process of the same user grows while something happens, in bytes: the kernel's
 * own high-water mark (proc(5), VmHWM), which no peak escapes.
 */
export async function memoryGrowth(pid: number | undefined, work: () => Promise<unknown>): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // VmHWM starts again from what there is now
  const before = memory(pid, 'VmRSS');
  await work();
  return memory(pid, 'VmHWM') - before;
}

function memory(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}
