import * as z from 'zod';

/** Of the layout of archives; another one would have a higher number. */
export const FORMAT = 1;

/** The parts of a robot that an archive holds. */
export const PARTS = ['database', 'skills', 'language_model', 'description', 'mapping'] as const;
export const Part = z.enum(PARTS);
export type Part = z.infer<typeof Part>;

/** Where a part is in the archive: one file, or everything below a folder. */
export const MEMBER_OF: Readonly<Record<Part, string>> = {
  database: 'database.sqlite',
  skills: 'skills/',
  language_model: 'language-model.yaml',
  description: 'description/',
  mapping: 'mapping.yaml',
};
export const SETTINGS_MEMBER = 'settings.json';
export const MANIFEST_MEMBER = 'manifest.json';

/** More members are refused; so is a robot that has more files when it is to be packed. */
export const MAX_MEMBERS = 100_000;

/** The last member of an archive. Further names in it mean nothing to this release. */
export const Manifest = z.object({
  format: z.int().min(1),
  /** Of the service that wrote it; for reading. Whether it can be restored is said by `format` and `schema`. */
  version: z.string(),
  /** Of the database. */
  schema: z.int().min(0),
  robot_id: z.string(),
  created_at: z.iso.datetime(),
  /** What the robot had when it was packed, be it an empty folder. */
  parts: z.array(Part),
  /** Those that the service itself could not read then. They are put back as they were; any other must be readable. */
  unreadable: z.array(Part).default([]),
  files: z
    .array(z.object({ path: z.string(), size: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }))
    .max(MAX_MEMBERS),
});
export type Manifest = Readonly<z.infer<typeof Manifest>>;
export type ListedFile = Manifest['files'][number];
