// The same command in several processes, each with one thread and a share of the work.

import { fork } from 'node:child_process';
import { ArgumentError } from '../checks/index.js';

type Answer<Result> = { readonly result: Result } | { readonly error: string; readonly argument: boolean };

/** What a process that was started by `shareWork` has to do; undefined in any other. */
export async function ownShare(): Promise<readonly number[] | undefined> {
  if (process.env.EPSILENS_JOB !== '1' || process.send === undefined) return undefined;
  return new Promise((resolve) => process.once('message', (share) => resolve(share as number[])));
}

/** Works on its share and answers piece by piece. */
export async function answerShare<Result>(
  share: readonly number[],
  work: (item: number) => Promise<Result>,
): Promise<void> {
  const send = (answer: Answer<Result>) => new Promise<void>((sent) => process.send?.(answer, () => sent()));
  try {
    for (const item of share) await send({ result: await work(item) });
  } catch (error) {
    const message = error instanceof Error ? error.message : `${error}`;
    await send({ error: message, argument: error instanceof ArgumentError });
  }
  process.disconnect();
}

/** Items are dealt in turn. Ends early, with what came in by then, when the signal comes. */
export async function shareWork<Result>(
  items: readonly number[],
  jobs: number,
  onResult: (result: Result) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const children = Array.from({ length: Math.min(jobs, items.length) }, (_, job) => {
    const child = fork(process.argv[1] as string, process.argv.slice(2), {
      env: { ...process.env, EPSILENS_JOB: '1', EPSILENS_THREADS: '1' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.send(items.filter((_, place) => place % jobs === job));
    return child;
  });
  const stop = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  signal.addEventListener('abort', stop, { once: true });
  let kept = Promise.resolve();
  try {
    await Promise.all(
      children.map(
        (child) =>
          new Promise<void>((resolve, reject) => {
            child.on('message', (answer: Answer<Result>) => {
              if ('result' in answer) kept = kept.then(() => onResult(answer.result)).catch(reject);
              else reject(answer.argument ? new ArgumentError(answer.error) : new Error(answer.error));
            });
            child.once('exit', (code, name) => {
              if (code === 0 || signal.aborted) resolve();
              else
                reject(
                  new Error(
                    `a process of --jobs ended (${name ?? `exit code ${code}`}): it may have run out of memory`,
                  ),
                );
            });
          }),
      ),
    );
    await kept;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
