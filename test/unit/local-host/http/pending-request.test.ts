import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { PendingRequest } from '../../../../local-host/http/pending-request.ts';

const stopped = new ServiceError('request_timeout', { detail: 'The client hung up.' });

describe('The signal of a request', () => {
  it('aborts with the reason when the client disconnects', () => {
    const pending = new PendingRequest({} as ServerResponse); // as: it only keeps it
    const { signal } = pending;
    expect([signal.aborted, pending.abandoned]).toEqual([false, false]);
    pending.abandon(stopped);
    expect([signal.aborted, signal.reason, pending.abandoned]).toEqual([true, stopped, true]);
    expect(pending.signal).toBe(signal);
  });

  it('is aborted from the start, with the first reason, after the client has disconnected', () => {
    const pending = new PendingRequest({} as ServerResponse); // as: it only keeps it
    pending.abandon(stopped);
    pending.abandon(new ServiceError('internal_error', { detail: 'later' }));
    expect([pending.signal.aborted, pending.signal.reason]).toEqual([true, stopped]);
  });
});
