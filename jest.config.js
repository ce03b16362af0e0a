export default {
  testEnvironment: 'node',
  // Most tests wait for sockets, disks and processes most of the time.
  maxWorkers: '100%',
  // Machines are noisy: a limit that only ends what hangs.
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/test/support/closing-line.cjs'],
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/slow/', '<rootDir>/test/guest/', '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/dist-lambda', '<rootDir>/coverage/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};
