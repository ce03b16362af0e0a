import * as z from 'zod';

export const SnapshotName = z
  .string()
  .regex(/^snapshot-[A-Za-z0-9-]{1,64}\.sqlite$/, 'The name of a snapshot, as the list of backups has it.')
  .meta({ example: 'snapshot-000001-20260401T120000Z.sqlite' });
const Counts = z.record(z.string(), z.int().min(0));
const Backup = SnapshotName.nullable().describe('snapshot of the previous content; null if there was none');
const Undo = z.string().nullable().describe('who can undo it, and how; null when nothing was deleted');

export const ClearedTable = z
  .strictObject({ tablename: z.string(), deleted: z.int().min(0).describe('rows'), backup: Backup, undo: Undo })
  .meta({ id: 'ClearedTable' });

export const ClearedDatabase = z
  .strictObject({ deleted: Counts.describe('rows by table'), backup: Backup, undo: Undo })
  .meta({ id: 'ClearedDatabase' });

export const Snapshot = z
  .strictObject({
    name: SnapshotName,
    created_at: z.iso.datetime().describe('RFC 3339'),
    size: z.int().min(0).describe('bytes'),
  })
  .meta({ id: 'Snapshot' });
export type Snapshot = Readonly<z.infer<typeof Snapshot>>;

export const CreatedBackup = z
  .strictObject({ backup: SnapshotName.describe('the snapshot of the present content') })
  .meta({ id: 'CreatedBackup' });

export const BackupPath = z.object({ name: SnapshotName });

export const Backups = z
  .strictObject({ backups: z.array(Snapshot).describe('newest first') })
  .meta({ id: 'SnapshotList' });

export const RestoreRequest = z
  .strictObject({ backup: SnapshotName })
  .meta({ id: 'RestoreRequest', example: { backup: 'snapshot-000001-20260401T120000Z.sqlite' } });

export const RestoredDatabase = z
  .strictObject({ restored: SnapshotName, rows: Counts.describe('rows by table'), backup: Backup })
  .meta({ id: 'RestoredDatabase' });
