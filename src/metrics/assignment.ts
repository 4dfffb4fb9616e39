// The assignment problem: pairs of rows and columns at the least total cost.

import { ArgumentError } from '../checks/index.js';
import { rougeL } from './rouge.js';

/**
 * Gives each row a column of its own such that the total cost is least; -1 for rows that get none if there are more rows than
 * columns. Kuhn (1955) with potentials and shortest paths: time rows² · columns for rows ≤ columns.
 */
export function assign(costs: readonly ArrayLike<number>[]): Int32Array {
  const [rows, columns] = [costs.length, costs[0]?.length ?? 0];
  for (const row of costs) {
    if (row.length !== columns) {
      throw new ArgumentError(`invalid costs: expected ${columns} in every row, got ${row.length}`);
    }
    for (let column = 0; column < columns; column++) {
      if (!Number.isFinite(row[column])) {
        throw new ArgumentError(`invalid costs: expected finite numbers, got ${row[column]}`);
      }
    }
  }
  if (rows <= columns)
    return assignRows(rows, columns, (row, column) => (costs[row] as ArrayLike<number>)[column] as number);
  const rowOf = assignRows(columns, rows, (column, row) => (costs[row] as ArrayLike<number>)[column] as number);
  const columnOf = new Int32Array(rows).fill(-1);
  for (const [column, row] of rowOf.entries()) columnOf[row] = column;
  return columnOf;
}

const nobody = -1;

/** Rows enter one by one; each shifts earlier rows along the path that raises the total least. */
function assignRows(rows: number, columns: number, costOf: (row: number, column: number) => number): Int32Array {
  // The last column is outside the table: the entering row waits there.
  const outside = columns;
  const rowAt = new Int32Array(columns + 1).fill(nobody);
  const [rowPotential, columnPotential] = [new Float64Array(rows), new Float64Array(columns + 1)];
  const before = new Int32Array(columns); // the previous column on the path
  const slack = new Float64Array(columns); // the least reduced cost of reaching a column so far
  const reached = new Uint8Array(columns + 1);

  for (let entering = 0; entering < rows; entering++) {
    slack.fill(Number.POSITIVE_INFINITY);
    reached.fill(0);
    rowAt[outside] = entering;
    let column = outside;
    while (rowAt[column] !== nobody) {
      reached[column] = 1;
      const row = rowAt[column] as number;
      let nearest = nobody;
      for (let other = 0; other < columns; other++) {
        if (reached[other] === 1) continue;
        const cost = costOf(row, other) - (rowPotential[row] as number) - (columnPotential[other] as number);
        if (cost < (slack[other] as number)) {
          slack[other] = cost;
          before[other] = column;
        }
        if (nearest === nobody || (slack[other] as number) < (slack[nearest] as number)) nearest = other;
      }
      const step = slack[nearest] as number;
      for (let other = 0; other <= columns; other++) {
        if (reached[other] === 1) {
          const held = rowAt[other] as number;
          rowPotential[held] = (rowPotential[held] as number) + step;
          columnPotential[other] = (columnPotential[other] as number) - step;
        } else if (other < columns) slack[other] = (slack[other] as number) - step;
      }
      column = nearest;
    }
    while (column !== outside) {
      const from = before[column] as number;
      rowAt[column] = rowAt[from] as number;
      column = from;
    }
  }
  const columnOf = new Int32Array(rows);
  for (let column = 0; column < columns; column++) {
    const row = rowAt[column] as number;
    if (row !== nobody) columnOf[row] = column;
  }
  return columnOf;
}

/**
 * Pairs each truth with a guess such that the total similarity is greatest, and gives the guess's index; -1 where guesses run out.
 * Attacks on batches recover sentences in no particular order.
 */
export const matchGuesses = <T>(
  truths: readonly T[],
  guesses: readonly T[],
  similarity: (truth: T, guess: T) => number,
): Int32Array => assign(truths.map((truth) => guesses.map((guess) => -similarity(truth, guess))));

/** The guesses in the order of the truths they match, by ROUGE-L (F1) over tokens; there must be as many guesses as truths. */
export function matchTokens<Token>(truths: readonly (readonly Token[])[], guesses: readonly (readonly Token[])[]) {
  const similarity = (truth: readonly Token[], guess: readonly Token[]) =>
    rougeL(truth.map(String), guess.map(String)).f1;
  return Array.from(matchGuesses(truths, guesses, similarity), (place) => guesses[place] as readonly Token[]);
}
