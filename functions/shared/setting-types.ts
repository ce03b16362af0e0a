import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { parseAllowedUnits } from './allowed-units.ts';
import { MAX_BODY_BYTES } from './middleware/exchange.ts';

// What the text of a setting may be, and what is made of it. The messages stand behind the name of the variable.

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
export const bytes = z
  .string()
  .regex(/^\d{1,15}$/, 'bytes, digits only')
  .transform(Number);
export const bodyBytes = z
  .string()
  .regex(/^\d{1,7}$/, 'bytes, digits only')
  .transform(Number)
  .pipe(z.int().min(1024).max(MAX_BODY_BYTES));
export const allowedUnits = z.string().transform((text, context) => {
  try {
    return parseAllowedUnits(text);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return z.NEVER;
  }
});
