/**
 * In CI a test that fails is run once more when its file is through: such machines stall for seconds. What needed that
 * is named at the end of the run (closing-line.cjs). Orders, moments and inputs that are random are not tried again: a
 * failure there is a finding, however rare.
 */
const RANDOM = /interleavings|property|fuzz|kill|power/;

if (process.env.CI === 'true' && !RANDOM.test(expect.getState().testPath)) {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
}
