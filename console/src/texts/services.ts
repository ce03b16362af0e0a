export const texts = {
  systems: { head: 'Head', base: 'Base' },
  none: 'No service may be seen here (SERVICE_ALLOWED_UNITS).',
  unavailable: 'This computer cannot be reached.',
  restart: 'Restart',
  restartOf: (unit: string) => `Restart ${unit}`,
  sure: (unit: string) => `${unit} ends and starts again. What depends on it may stop working meanwhile.`,
  restarting: (unit: string, state: string) => `${unit} is restarting: ${state}.`,
  logs: 'Logs',
  logsOf: (unit: string) => `Logs of ${unit}`,
} as const;
