export const texts = {
  title: 'Camera',
  label: 'What the camera of the robot sees',
  connecting: 'Connecting to the camera…',
  gone: 'No picture.',
  retry: (seconds: number) => `Trying again in ${seconds} s.`,
  refused: (status: number) => `The video server answers with status ${status}.`,
  noAnswer: 'The video server does not answer.',
  broken: 'The connection to the camera broke off.',
  still: 'No new picture for some seconds.',
} as const;
