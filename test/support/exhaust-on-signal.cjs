/** Lets the process run out of memory when it gets SIGUSR2: it is busy with that for a while, and then ended by V8. */
process.on('SIGUSR2', () => {
  const held = [];
  for (;;) held.push(new Array(10_000).fill(Math.random()));
});
