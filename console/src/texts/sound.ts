export const texts = {
  volume: 'Volume',
  of: (percent: number) => `${percent} %`,
  muted: 'Muted: nothing is heard at any volume.',
  mute: 'Mute',
  unmute: 'Unmute',
  device: 'Output',
  ofHost: 'Of the machine that this service runs on, not of the robot.',
  louder: 'Louder',
  quieter: 'Quieter',
} as const;
