import * as z from 'zod';

/** `Accept` decides whether the page is meant, `Host` under which name the robot's stop is reached. */
export const PageHeaders = z.object({ accept: z.string().optional(), host: z.string().optional() });

export const FileHeaders = z.object({ 'accept-encoding': z.string().optional() });

export const ConsoleFilePath = z.object({
  file: z
    .string()
    .max(100)
    .describe('name of one file of the console, with the hash of its content')
    .meta({ example: 'main-2XQJ5YVN.js' }),
});
