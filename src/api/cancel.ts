// Cancelling: a call whose signal comes before it is done rejects with the signal's reason, whatever the work itself made of the signal.

/** `isDone` tells whether the result is whole in spite of the signal. */
export async function cancellable<Result>(
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
  isDone: (result: Result) => boolean,
): Promise<Result> {
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
