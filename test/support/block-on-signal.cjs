/** Blocks the event loop of the process for five seconds when it gets SIGUSR2. */
process.on('SIGUSR2', () => {
  const until = Date.now() + 5_000;
  while (Date.now() < until);
});
