import { expect, it } from '@jest/globals';
import { readPresence } from '../../../../functions/shared/robot-link/adapters/mqtt/presence.ts';

it('leaves a command called stop out of the catalogue of a robot, and names the route that stops it', () => {
  const entry = (name: string) => ({ name, kind: 'none', title: name, effect: 'action', motion: false });
  const message = {
    v: 1,
    online: true,
    session: 'a-session-of-this-robot',
    catalogue: [entry('dance'), entry('stop')],
  };
  const presence = readPresence(Buffer.from(JSON.stringify(message)));
  expect([...(presence?.catalogue.keys() ?? [])]).toEqual(['dance']);
  expect(presence?.faults).toEqual([
    { pointer: '/catalogue/1/name', message: expect.stringContaining('POST /api/v2/stop') },
  ]);
});
