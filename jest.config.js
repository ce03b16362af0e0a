export default {
  testEnvironment: 'node',
  reporters: ['default', '<rootDir>/test/support/closing-line.cjs'],
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/slow/', '<rootDir>/test/guest/', '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/dist-lambda'],
  collectCoverageFrom: ['functions/**/*.ts', 'local-host/**/*.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};
