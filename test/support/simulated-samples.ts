import type { LinkUnderTest } from './robot-link-contract.ts';

type Samples = Pick<LinkUnderTest, 'question' | 'answer' | 'numbered' | 'waiting'>;

/** Commands of the simulated robot as the suite of the links asks for them. */
export const SIMULATED_SAMPLES: Samples = {
  question: { command: 'get_language' },
  answer: 'en',
  numbered: (n) => ({ command: 'sound_level', value: n, answer: { sound_level: n } }),
  async waiting(send) {
    const { msg } = (await send({ command: 'skill', value: { name: 'wait', seconds: 60 } })) as { msg: string }; // as: how it answers skill
    return { command: 'wait_for_skill', value: msg };
  },
};
