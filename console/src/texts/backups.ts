export const texts = {
  database: 'Snapshots of the database',
  about: 'A snapshot is also taken before rows are cleared, imported or restored.',
  make: 'Take a snapshot now',
  made: (name: string) => `${name} was taken.`,
  upload: 'Upload a snapshot',
  uploaded: (name: string) => `${name} was uploaded. Nothing is restored yet.`,
  none: 'There is no snapshot yet.',
  download: 'Download',
  downloadOf: (name: string) => `Download ${name}`,
  restore: 'Restore',
  restoreOf: (name: string) => `Restore ${name}`,
  sure: (when: string) =>
    `Every table gets the rows of ${when}. A snapshot of the present rows is taken first, so that this can be undone.`,
  restored: (rows: number) => `Restored: ${rows} rows.`,
  undo: 'Undo',
} as const;
