const { relative } = require('node:path');

/** More tests than this that needed a second try (second-try.cjs) fail the run: then it is not the machine. */
const MAX_SECOND_TRIES = 5;

/** Ends a run with one plain line that any program can read: `688 passed, 0 failed, 2 skipped`. */
module.exports = class ClosingLine {
  #secondTries = [];

  onTestResult({ path, context }, { testResults }) {
    for (const { fullName, invocations, status } of testResults) {
      if (invocations > 1 && status === 'passed')
        this.#secondTries.push(`${relative(context.config.rootDir, path)}: ${fullName}`);
    }
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    for (const test of this.#secondTries) process.stderr.write(`\nPassed only at the second try: ${test}`);
    process.stderr.write(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped\n`);
  }

  getLastError() {
    const { length } = this.#secondTries;
    return length > MAX_SECOND_TRIES ? new Error(`${length} tests passed only at the second try`) : undefined;
  }
};
