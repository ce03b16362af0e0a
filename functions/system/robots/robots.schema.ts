import * as z from 'zod';

const Robot = z
  .strictObject({
    id: z.string(),
    online: z.boolean(),
    since: z.iso.datetime().nullable().describe('since when; null where this service has not followed it'),
    catalogue_size: z.int().min(0).describe('number of commands it knows'),
    state: z.null().describe('what it says of its state; not known yet'),
  })
  .meta({ id: 'RobotSummary' });

export const RobotList = z.strictObject({ robots: z.array(Robot) }).meta({
  id: 'RobotList',
  example: {
    robots: [{ id: 'robot-1', online: true, since: '2027-03-01T12:00:00Z', catalogue_size: 38, state: null }],
  },
});
