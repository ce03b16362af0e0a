import base from './jest.config.js';

/** Runs in the instrumented copy that scripts/coverage/run.mjs makes: jest adds no counters, it only collects them. */
export default {
  ...base,
  testPathIgnorePatterns: [
    ...base.testPathIgnorePatterns,
    // They judge the text of the sources, which counters change.
    '<rootDir>/test/architecture/',
  ],
  collectCoverage: true,
  coverageProvider: 'babel',
  collectCoverageFrom: ['nothing of the copy'],
  coverageDirectory: '<rootDir>/../jest',
  coverageReporters: ['json'],
};
