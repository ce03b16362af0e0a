/** Ends a run with one plain line that any program can read: `688 passed, 0 failed, 2 skipped`. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.stderr.write(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped\n`);
  }
};
