/** Whether there is a process of this number, whoever's it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // as: kill throws nothing else
  }
}

/** Whether something that this process finds was there before it began: an earlier process had the same number. */
export function isOlderThanThisProcess(mtimeMs: number): boolean {
  return mtimeMs < Date.now() - process.uptime() * 1000;
}
