import { availableParallelism } from 'node:os';

export default {
  testEnvironment: '<rootDir>/test/support/until-the-deadline.cjs',
  globalSetup: '<rootDir>/scripts/native.mjs',
  // Most tests wait for sockets, disks and processes most of the time. (jest takes no share above 100%.)
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Machines are noisy: a limit that only ends what hangs.
  testTimeout: 120_000,
  setupFilesAfterEnv: ['<rootDir>/test/support/second-try.cjs'],
  reporters: ['default', '<rootDir>/test/support/closing-line.cjs'],
  // A program that a failed test has left behind holds the pipes of jest's workers, for which it would wait for ever.
  forceExit: process.env.CI === 'true',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/slow/',
    '<rootDir>/test/console/',
    '<rootDir>/test/guest/',
    '<rootDir>/test/outside/',
    '<rootDir>/dist/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/dist-lambda', '<rootDir>/coverage/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};
