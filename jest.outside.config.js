import base from './jest.config.js';

/** Programs of others: generators of clients, compilers, linters. See test/outside. */
export default {
  ...base,
  testMatch: ['<rootDir>/test/outside/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
  testTimeout: 600_000,
  maxWorkers: 2,
};
