import type { LinkUnderTest } from './robot-link-contract.ts';

type Samples = Pick<LinkUnderTest, 'question' | 'answer' | 'numbered' | 'waiting' | 'others'>;

/** Commands of the simulated robot as the suite of the links asks for them. */
export const SIMULATED_SAMPLES: Samples = {
  question: { command: 'get_language' },
  answer: 'en',
  numbered: (n) => ({ command: 'sound_level', value: n, answer: { sound_level: n } }),
  others: [
    { command: 'get_pose' },
    { command: 'get_battery_level' },
    { command: 'skill', value: { name: 'wave' } },
    { command: 'skill', value: { name: 'fly' } },
    { command: 'wait_for_skill', value: 'nobody' },
    { command: 'cancel_skill', value: 'nobody' },
    { command: 'cancel_client_missions' },
  ],
  async waiting(send) {
    const { msg } = (await send({ command: 'skill', value: { name: 'wait', seconds: 60 } })) as { msg: string }; // as: how it answers skill
    return { command: 'wait_for_skill', value: msg };
  },
};
