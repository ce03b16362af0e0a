import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../../../../functions/shared/pipeline/endpoint.ts';
import { invoke } from '../../../support/invoke.ts';
import { testPorts } from '../../../support/world.ts';

/** How many turns of the event loop pass between the check of a body and the handler. */
async function turnsLeftToOthers(text: string): Promise<number> {
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting: NodeJS.Immediate | undefined;
  const begin = () => {
    counting ??= setImmediate(count);
    return true;
  };
  const handler = endpoint({
    access: 'public',
    summary: 'Count turns',
    input: { body: z.object({ text: z.string().refine(begin) }) },
    output: z.number(),
  }).handler(() => turns);
  const { body } = await invoke(handler, { ports: testPorts(), method: 'POST', body: { text } });
  clearImmediate(counting);
  return body;
}

it('leaves a turn of the event loop to others after each step with a large body', async () => {
  expect(await turnsLeftToOthers('x'.repeat(20_000))).toBeGreaterThan(0);
  expect(await turnsLeftToOthers('x')).toBe(0);
});
