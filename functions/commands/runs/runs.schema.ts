import * as z from 'zod';
import { Json } from '../../shared/kit/json.schema.ts';
import { queryFlag } from '../../shared/query-types.ts';
import { DEFAULT_TIMEOUT_S } from '../../shared/runs/runs.ts';

/** Body of `POST /api/v2/runs/`. */
export const StartRun = z
  .strictObject({
    skill: z.string().min(1).max(200).describe('name of an enabled skill file without `.py`'),
    function: z.string().max(200).optional().describe('which function, where the file has several'),
    args: z
      .record(z.string(), Json)
      .optional()
      .describe('its arguments by name; checked against its signature; at most 64 KiB'),
    timeout_s: z.int().min(1).max(86_400).default(DEFAULT_TIMEOUT_S).describe('longest time it may take, in seconds'),
    lease: z
      .string()
      .max(128)
      .optional()
      .describe('id of your own fresh lease: the run moves the robot under it, and its motion ends with it'),
  })
  .meta({ id: 'StartRun', example: { skill: 'wave_hello', args: { times: 2 } } });

export const RunPath = z.object({
  run_id: z.string().describe('id of a run').meta({ example: '0b9b5c2e-6a52-4c9a-9d4d-1f3a2b8c7d10' }),
});

export const RunLogsQuery = z.strictObject({
  follow: queryFlag({ description: 'stream the log from its beginning, and new lines until the run ends' }),
});

export const RunLogsHeaders = z.object({
  accept: z.string().optional().describe('`text/plain`: one line per entry, for people'),
});
