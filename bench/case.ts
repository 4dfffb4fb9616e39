// What a benchmark is, and how things are timed.

/** One line of the table. `reach` is the target, as a bound on `value`. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly reach?: string;
}

/** A benchmark. Each runs in a process of its own, so that its peak memory is not shared with others. */
export type Case = () => Promise<readonly Row[]>;

/** The times of `repeats` runs in milliseconds, after two runs to warm up. */
export async function timings(run: () => Promise<unknown>, repeats: number): Promise<number[]> {
  for (let index = 0; index < 2; index++) await run();
  const times: number[] = [];
  for (let index = 0; index < repeats; index++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return times;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export const peakMegabytes = (): number => process.resourceUsage().maxRSS / 1024;
