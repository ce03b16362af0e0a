const { relative } = require('node:path');

/** More tests than this that needed a second try (second-try.cjs) fail the run: then it is not the machine. */
const MAX_SECOND_TRIES = 10;

/**
 * Ends a run with one plain line that any program can read: `688 passed, 0 failed, 2 skipped`. Above it stand the tests
 * that needed a second try, and the files with tests that did not begin (until-the-deadline.cjs).
 */
module.exports = class ClosingLine {
  #secondTries = [];
  #cutShort = [];

  onTestResult({ path, context }, { testResults, numPendingTests }) {
    const file = relative(context.config.rootDir, path);
    for (const { fullName, invocations, status } of testResults)
      if (invocations > 1 && status === 'passed') this.#secondTries.push(`${file}: ${fullName}`);
    if (process.env.TESTS_BEGIN_UNTIL && numPendingTests > 0) this.#cutShort.push(`${file}: ${numPendingTests}`);
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    for (const tests of this.#cutShort) process.stderr.write(`\nNot run for lack of time: ${tests}`);
    for (const test of this.#secondTries) process.stderr.write(`\nPassed only at the second try: ${test}`);
    process.stderr.write(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped\n`);
  }

  getLastError() {
    const { length } = this.#secondTries;
    return length > MAX_SECOND_TRIES ? new Error(`${length} tests passed only at the second try`) : undefined;
  }
};
