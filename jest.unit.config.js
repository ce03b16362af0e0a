import base from './jest.config.js';

/**
 * The fast lane: what needs neither a database on the disk, a server, a process of its own, the whole OpenAPI document,
 * nor a second of waiting. The rest of test/unit runs with `npm test`.
 */
export default {
  ...base,
  maxWorkers: '100%', // these compute all the time
  testMatch: ['<rootDir>/test/unit/**/*.test.ts', '<rootDir>/test/architecture/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/unit/database/',
    '<rootDir>/test/unit/lambda/',
    '<rootDir>/test/unit/local-host/(log-destination|openapi|stream-server|http/(connection-pool|outbox))',
    '<rootDir>/test/unit/shared/identity/(key-store|signing-keys)/(file|first-key)',
    '<rootDir>/test/unit/shared/kit/child-process/',
    '<rootDir>/test/unit/shared/observability/audit-trail/',
    '<rootDir>/test/unit/shared/runs/(runs|stops)',
    '<rootDir>/test/unit/shared/robot-link/(broker|mqtt-remote-robot|rosbridge-(?!mapping|template)|read-in-turns)',
    '<rootDir>/test/unit/system/(description|network/network-manager-attempt|services/(quote|ssh))',
    '<rootDir>/test/unit/(commands/stop-interleavings|local-host/events/asyncapi|system/llm-config)',
  ],
};
