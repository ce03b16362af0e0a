import { chownSync } from 'node:fs';

const NOBODY = 65_534;
const asRoot = process.getuid?.() === 0;

/** Does something without the rights of root, as the service on a robot; whoever is not root has none to lay down. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (!asRoot) return work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Gives a folder to whoever works {@link asNobody}. */
export function giveToNobody(folder: string): string {
  if (asRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}
