// The scores computed from their definitions, without regard to speed.

type Words = readonly string[];

/** Tries every choice of words. */
export function longestCommon(left: Words, right: Words): number {
  const [first, ...rest] = left;
  if (first === undefined) return 0;
  const without = longestCommon(rest, right);
  const place = right.indexOf(first);
  return place < 0 ? without : Math.max(without, 1 + longestCommon(rest, right.slice(place + 1)));
}

/** Shared runs of words, found by crossing off equal ones from a list. */
export function sharedRuns(left: Words, right: Words, size: number): number {
  const runs = (words: Words) =>
    words.flatMap((_, start) =>
      start + size <= words.length ? [JSON.stringify(words.slice(start, start + size))] : [],
    );
  const remaining = runs(right);
  return runs(left).filter((run) => {
    const place = remaining.indexOf(run);
    if (place >= 0) remaining.splice(place, 1);
    return place >= 0;
  }).length;
}

/** The recursion of the definition, cached by the rests of both texts. */
export function editDistance(left: string, right: string, known = new Map<string, number>()): number {
  if (left === '' || right === '') return Math.max(left.length, right.length);
  const key = JSON.stringify([left, right]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = Math.min(
    editDistance(left.slice(1), right, known) + 1,
    editDistance(left, right.slice(1), known) + 1,
    editDistance(left.slice(1), right.slice(1), known) + (left[0] === right[0] ? 0 : 1),
  );
  known.set(key, found);
  return found;
}

/** The least total over all ways to give each row a column of its own (or leave out rows where there are too many). */
export function leastCost(costs: readonly (readonly number[])[]): number {
  const [rows, columns] = [costs.length, costs[0]?.length ?? 0];
  if (rows === 0 || columns === 0) return 0;
  const without = (row: number, column: number) =>
    costs.filter((_, index) => index !== row).map((list) => list.filter((_, index) => index !== column));
  const choices =
    rows <= columns
      ? (costs[0] as number[]).map((cost, column) => cost + leastCost(without(0, column)))
      : costs.map((list, row) => (list[0] as number) + leastCost(without(row, 0)));
  return Math.min(...choices);
}
