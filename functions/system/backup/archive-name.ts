/** What a backup is called on the disk of who asked for it. */
export function archiveName(robotId: string, now: number): string {
  return `robot-${robotId}-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}.tar.gz`;
}
