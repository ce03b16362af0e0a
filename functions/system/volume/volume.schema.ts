import * as z from 'zod';
import { OfHost } from '../../shared/remote-robot.ts';

/** `{percentage: {value}}` as a client sends it (specification, section 4.8), `{muted}`, or both. */
export const SetVolume = z
  .strictObject({
    percentage: z
      .strictObject({
        value: z
          .number()
          .min(0)
          .max(100)
          .describe('percent; a fraction is rounded to a whole percent')
          .meta({ example: 42 }),
      })
      .meta({ id: 'Percentage' })
      .optional(),
    muted: z.boolean().optional().describe('true silences the device, false lets it be heard again'),
  })
  .refine(({ percentage, muted }) => percentage !== undefined || muted !== undefined, {
    path: ['percentage'],
    message: 'is required without muted',
  })
  .meta({ id: 'VolumeChange', minProperties: 1, example: { percentage: { value: 42 } } });

export const Volume = z
  .object({
    percentage: z
      .object({
        value: z
          .number()
          .min(0)
          .describe('percent of the loudest channel; above 100 only when another program has set it so')
          .meta({ example: 42 }),
      })
      .meta({ id: 'VolumeLevel' }),
    muted: z.boolean().describe('a muted device is silent whatever its volume'),
    device: z.string().describe("the sound system's own name of the output").meta({ example: 'robot' }),
    of: OfHost,
  })
  .meta({ id: 'Volume' });
