import base from './jest.config.js';

export default {
  ...base,
  testMatch: ['<rootDir>/test/slow/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
  testTimeout: 600_000,
  maxWorkers: 2,
};
