import { type Mixer, MixerAbsent } from './mixer.ts';
import type { Volume } from './port.ts';

/** The usual names of what turns the sound of a card up and down, the most general first. */
const CONTROLS = ['Master', 'Speaker', 'PCM', 'Headphone', 'Digital', 'DAC', 'Playback', 'Line Out'];

/** ALSA alone. `-M` maps percent as the ear hears it, the way every mixer on a desktop does. */
export const amixer: Mixer = {
  program: 'amixer',
  read: async (run) => chooseControl(await run('amixer', '-M', 'scontents')),
  async set(run, percent) {
    const { device } = chooseControl(await run('amixer', '-M', 'scontents'));
    await run('amixer', '-q', '-M', 'sset', device, `${percent}%`);
  },
};

/** The control to use among those that `amixer scontents` prints. */
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
