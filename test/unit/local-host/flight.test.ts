import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../functions/shared/errors.ts';
import { Flight } from '../../../local-host/flight.ts';

const stopped = new ServiceError('request_timeout', { detail: 'The client hung up.' });

describe('The signal of a request', () => {
  it('aborts when the client goes, with the reason', () => {
    const flight = new Flight({} as ServerResponse); // as: it only keeps it
    const { signal } = flight;
    expect([signal.aborted, flight.abandoned]).toEqual([false, false]);
    flight.abandon(stopped);
    expect([signal.aborted, signal.reason, flight.abandoned]).toEqual([true, stopped, true]);
    expect(flight.signal).toBe(signal);
  });

  it('is aborted from the beginning for who asks after the client has gone, for the first reason', () => {
    const flight = new Flight({} as ServerResponse); // as: it only keeps it
    flight.abandon(stopped);
    flight.abandon(new ServiceError('internal_error', { detail: 'later' }));
    expect([flight.signal.aborted, flight.signal.reason]).toEqual([true, stopped]);
  });
});
