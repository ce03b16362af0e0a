/** The service cannot start; the message tells the operator why in one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
