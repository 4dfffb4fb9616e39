// What a benchmark is, and how things are timed.

/** One line of the table. `reach` is the aim of DESIGN.md, as a bound on `value`. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly reach?: string;
}

/** Runs in a process of its own, so that its peak memory is its own. */
export type Case = () => Promise<readonly Row[]>;

/** Milliseconds of each of `repeats` runs after two to warm up. */
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
