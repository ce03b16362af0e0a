import base from './jest.config.js';

export default {
  ...base,
  testMatch: ['<rootDir>/test/slow/**/*.test.ts', '<rootDir>/test/console/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
  testTimeout: 300_000,
  maxWorkers: 2,
};
