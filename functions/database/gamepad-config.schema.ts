import * as z from 'zod';

const Name = z.string().trim().min(1);

/** What one button does (specification, section 2.3). */
const ButtonAction = z
  .strictObject({
    touch: Name.describe('the button'),
    simpleClick: z.array(z.string()),
    doubleClick: z.array(z.string()),
  })
  .meta({ id: 'ButtonAction' });

/** The configuration of a controller (specification, section 2.3). */
export const GamepadConfigModel = z
  .strictObject({
    id: z.int(),
    name: Name,
    prompt_name: z.string(),
    config: z.array(ButtonAction),
  })
  .meta({
    id: 'GamepadConfigModel',
    example: {
      id: 1,
      name: 'Left pad',
      prompt_name: 'default',
      config: [{ touch: 'A', simpleClick: ['wave'], doubleClick: [] }],
    },
  });
