import type { Volume } from '../port.ts';
import { type Mixer, MixerAbsent } from './mixer.ts';

/** Common names of playback volume controls, most general first. */
const CONTROLS = ['Master', 'Speaker', 'PCM', 'Headphone', 'Digital', 'DAC', 'Playback', 'Line Out'];

/** Plain ALSA. `-M` uses a perceptual volume scale, like every desktop mixer. */
export const amixer: Mixer = {
  program: 'amixer',
  read: async (run) => chooseControl(await run('amixer', '-M', 'scontents')),
  async set(run, percent) {
    const { device } = chooseControl(await run('amixer', '-M', 'scontents'));
    await run('amixer', '-q', '-M', 'sset', device, `${percent}%`);
  },
  async mute(run, muted) {
    const { device } = chooseControl(await run('amixer', '-M', 'scontents'));
    await run('amixer', '-q', 'sset', device, muted ? 'mute' : 'unmute');
  },
};

/** Picks a control from the output of `amixer scontents`. */
export function chooseControl(text: string): Volume {
  const found = new Map<string, Volume>();
  for (const block of text.split(/^Simple mixer control /m)) {
    const name = /^'(.+)',0$/m.exec(block)?.[1];
    if (name === undefined) continue;
    const channels = block.split('\n').flatMap((line) => {
      const percent = /^ {2}[^:]+:(?: Playback)? -?\d+ \[(\d+)%\]/.exec(line)?.[1];
      return percent === undefined ? [] : [[line, percent] as const];
    });
    if (channels.length === 0 || !/^ {2}Capabilities:.* (pvolume|volume)\b/m.test(block)) continue;
    const percent = Math.max(...channels.map((channel) => Number(channel[1])));
    found.set(name, { percent, muted: channels.every(([line]) => line.includes('[off]')), device: name });
  }
  const name = CONTROLS.find((candidate) => found.has(candidate));
  const chosen = name === undefined ? undefined : found.get(name);
  if (!chosen) throw new MixerAbsent('amixer: the card has no playback volume');
  return chosen;
}
