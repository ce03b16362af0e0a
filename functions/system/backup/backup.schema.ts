import * as z from 'zod';
import { ByteStream } from '../../shared/pipeline/byte-stream.schema.ts';
import { queryFlag } from '../../shared/query-types.ts';
import { Part } from './manifest.schema.ts';

const ArchiveName = z
  .string()
  .regex(/^robot-\d{6,12}-\d{8}T\d{6}Z\.tar\.gz$/, 'The name of a kept archive, as the list has it.')
  .meta({ example: 'robot-000001-20260401T120000Z.tar.gz' });

const KeptArchive = z
  .strictObject({
    name: ArchiveName,
    size: z.int().min(0).describe('bytes'),
    created_at: z.iso.datetime().describe('RFC 3339'),
  })
  .meta({ id: 'KeptArchive' });
export type KeptArchive = Readonly<z.infer<typeof KeptArchive>>;

export const KeptArchives = z
  .strictObject({ backups: z.array(KeptArchive).describe('newest first, at most two') })
  .meta({ id: 'KeptArchiveList' });

export const RestoreQuery = z.strictObject({
  dry_run: queryFlag({ description: 'check the whole archive and say what would be restored; nothing is changed' }),
  adopt: queryFlag({ description: 'take the data of another robot; this one keeps its id' }),
});

/** Restores one of the kept archives. */
export const RestoreByName = z
  .strictObject({ name: ArchiveName })
  .meta({ id: 'RobotRestoreRequest', example: { name: 'robot-000001-20260401T120000Z.tar.gz' } });

/** An archive as it arrives, or the name of one that is here. */
export const RestoreBody = z.union([RestoreByName, ByteStream]);

const DifferingSetting = z
  .strictObject({
    name: z.string(),
    here: z.string().nullable().describe('null: not set; secrets are masked'),
    archive: z.string().nullable(),
  })
  .meta({ id: 'DifferingSetting' });

export const RestoredRobot = z
  .strictObject({
    restored: z.array(Part).describe('the parts that were replaced; of a dry run, that would be'),
    settings: z.array(DifferingSetting).describe('how the settings here and there differ; none is applied'),
    backup: ArchiveName.nullable().describe('the archive of what was there before; null for a dry run'),
    restart_needed: z.boolean().describe('the mapping has changed, which the service reads when it starts'),
  })
  .meta({ id: 'RestoredRobot' });
export type RestoredRobot = Readonly<z.infer<typeof RestoredRobot>>;
