import { randomBytes } from 'node:crypto';

const STAGED = /^\.staged-(\d{1,10})-[0-9a-f]{16}$/;

/** A fresh name for a staged file. It is hidden, and tells which process is at work on it. */
export function stagedName(): string {
  return `.staged-${process.pid}-${randomBytes(8).toString('hex')}`;
}

export function isStaged(name: string): boolean {
  return STAGED.test(name);
}

/** The number of the process that staged it. */
export function stagedBy(name: string): number {
  return Number(STAGED.exec(name)?.[1]);
}
