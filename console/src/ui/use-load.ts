import { useEffect, useRef, useState } from 'preact/hooks';
import type { Robot } from '../../../clients/typescript/src/index.ts';
import { isAnswering } from '../state/link.ts';
import { robot, sentenceOf } from '../state/session.ts';

export interface Loaded<T> {
  /** The last one; it stays when it cannot be had anew. */
  readonly value: T | undefined;
  /** Why it cannot be had. */
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  /** Asks again. */
  reload(): Promise<void>;
}

/**
 * What the service has, asked for when a part of the page is shown, and again when the service comes back.
 * @param of what makes another question of it. @param everyMs again so often while somebody looks.
 */
export function useLoad<T>(
  ask: (robot: Robot) => Promise<T>,
  of: readonly unknown[] = [],
  everyMs?: number,
): Loaded<T> {
  const [state, setState] = useState<{ readonly value?: T; readonly problem?: string; readonly isLoading: boolean }>({
    isLoading: true,
  });
  const turn = useRef(0);
  const load = async () => {
    const service = robot.peek();
    if (!service) return;
    turn.current += 1;
    const own = turn.current;
    setState((before) => ({ ...before, isLoading: true }));
    try {
      const value = await ask(service);
      if (own === turn.current) setState({ value, isLoading: false });
    } catch (error) {
      if (own === turn.current)
        setState(({ value }) => ({ ...withValue(value), problem: sentenceOf(error), isLoading: false }));
    }
  };
  const latest = useRef(load);
  latest.current = load;
  const isThere = isAnswering.value;
  useEffect(() => {
    if (isThere) void latest.current();
  }, [isThere, ...of]);
  useEffect(() => {
    if (everyMs === undefined || !isThere) return;
    const timer = setInterval(() => {
      if (!document.hidden) void latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [isThere, everyMs]);
  useEffect(
    () => () => {
      turn.current += 1;
    },
    [],
  );
  return { value: state.value, problem: state.problem, isLoading: state.isLoading, reload: () => latest.current() };
}

function withValue<T>(value: T | undefined): { readonly value?: T } {
  return value === undefined ? {} : { value };
}
