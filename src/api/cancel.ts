// Cancelling: a call whose signal comes before it is done rejects with the signal's reason, however the work itself reacts to the signal.

import { expectKind } from './known-options.js';

/** Runs `work`. `isDone` says whether its result is complete even though the signal came. */
export async function cancellable<Result>(
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
  isDone: (result: Result) => boolean,
): Promise<Result> {
  if (signal !== undefined) expectKind('signal', signal);
  signal?.throwIfAborted();
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  if (!isDone(result)) signal?.throwIfAborted();
  return result;
}
