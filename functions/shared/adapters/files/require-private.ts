import { FileFault, type ReadFile } from './watched-file.ts';

/**
 * A secret that others may read may have leaked: nobody but the owner gets any permission on its file.
 * @param remedy what to do about it, as the end of a sentence.
 * @throws FileFault
 */
export function requirePrivate({ mode }: ReadFile, remedy: string): void {
  if ((mode & 0o077) !== 0) throw new FileFault(`others than its owner can read it; ${remedy}`);
}
