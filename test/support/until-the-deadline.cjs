const { TestEnvironment } = require('jest-environment-node');

/** When tests have to stop beginning, in Unix seconds; .ci/run sets it. */
const deadline = Number(process.env.TESTS_BEGIN_UNTIL ?? Number.POSITIVE_INFINITY);

/**
 * CI ends a run that takes too long without a word of what it found. So past the deadline no test begins: those left
 * are skipped, and closing-line.cjs names their files. What has failed once is tried again all the same.
 */
module.exports = class UntilTheDeadline extends TestEnvironment {
  handleTestEvent({ name, describeBlock, test }) {
    if (Date.now() < deadline * 1000) return;
    if (name === 'run_describe_start') describeBlock.mode = 'skip';
    if (name === 'test_start' && test.retryReasons.length === 0) test.mode = 'skip';
  }
};
