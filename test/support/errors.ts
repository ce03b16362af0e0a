import { ServiceError } from '../../functions/shared/errors.ts';

/** The ServiceError that the work ends with, at once or later; fails the test when it ends well or otherwise. */
export async function refusal(work: () => unknown): Promise<ServiceError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
