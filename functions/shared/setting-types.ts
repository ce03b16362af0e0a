import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { parseAllowedUnits } from './allowed-units.ts';

/** Most bytes any request body may have: 1 MiB. */
export const MAX_BODY_BYTES = 1024 * 1024;

// What the text of a setting may be, and what is made of it. Messages follow the name of the variable.

export const flag = z.enum(['0', '1', 'true', 'false']).transform((text) => text === '1' || text === 'true');
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'a port number from 0 to 65535')
  .transform(Number)
  .pipe(z.int().max(65535));
export const absolutePath = z.string().refine(isAbsolute, 'an absolute path');
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
export const milliseconds = z
  .string()
  .regex(/^\d{1,9}$/, 'milliseconds, digits only')
  .transform(Number)
  .pipe(z.int().min(1));
export const seconds = z
  .string()
  .regex(/^\d{1,6}$/, 'seconds, digits only')
  .transform(Number)
  .pipe(z.int().min(1));
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
export const speed = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,6})?$/, 'a number such as 0.25')
  .transform(Number);
export const hours = z
  .string()
  .regex(/^\d{1,5}$/, 'whole hours, digits only')
  .transform(Number);
export const bytes = z
  .string()
  .regex(/^\d{1,15}$/, 'bytes, digits only')
  .transform(Number);
export const bodyBytes = z
  .string()
  .regex(/^\d{1,7}$/, 'bytes, digits only')
  .transform(Number)
  .pipe(z.int().min(1024).max(MAX_BODY_BYTES));
export const groupName = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/i, 'a group name');
export const sqliteUrl = z
  .string()
  .regex(/^sqlite:\/\/\/\/[^?#]+$/, 'sqlite:/// and an absolute path, as in sqlite:////data/robot.sqlite');
export const videoUrl = z
  .url({ protocol: /^https?$/, error: 'http:// or https://' })
  .refine(isPlainAddress, 'an address without user, query and fragment, whose host has only A-Z a-z 0-9 . -');
export const robotId = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 of A-Z a-z 0-9 _ . -');
export const robotName = z
  .string()
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u, '1 to 100 characters, none of them a control character');
export const sshPublicKey = z
  .string()
  .regex(
    /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+={0,2}( .*)?$/,
    'a public key in one line, `ssh-ed25519 AAAA…`',
  );
export const allowedUnits = z.string().transform((text, context) => {
  try {
    return parseAllowedUnits(text);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return z.NEVER;
  }
});

/** The page at / has it in its text and its policy: nothing secret, nothing that could be a directive. */
function isPlainAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, hostname, search, hash } = new URL(url);
  return /^[A-Za-z0-9.-]+$/.test(hostname) && username + password + search + hash === '';
}
