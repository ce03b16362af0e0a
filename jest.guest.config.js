import base from './jest.config.js';

export default {
  ...base,
  testMatch: ['<rootDir>/test/guest/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
  testTimeout: 900_000,
  maxWorkers: 1,
};
