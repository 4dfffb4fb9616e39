// Class names and their order.

import { ArgumentError } from '../checks/index.js';
import type { DataSet, SplitName } from './data-set.js';

/** Whole numbers by size, anything else by code unit: the same order on every machine. */
export function sortClasses(labels: Iterable<string>): string[] {
  const classes = [...new Set(labels)].sort();
  return classes.every((name) => /^-?\d+$/.test(name)) ? classes.sort((a, b) => Number(a) - Number(b)) : classes;
}

/** Throws unless every example of the part has a label and at least two classes occur, which a classifier needs. */
export function checkClasses({ name, classes, splits: parts }: DataSet, part: SplitName = 'train'): void {
  const examples = parts[part] ?? [];
  const missing = examples.findIndex(({ label }) => label === undefined);
  if (missing !== -1)
    throw new ArgumentError(`${name}: expected a label on every example of ${part}, got none on ${missing}`);
  const present = classes.filter((_, index) => examples.some(({ label }) => label === index));
  if (present.length >= 2) return;
  const got = present.length === 0 ? 'none' : `only ${JSON.stringify(present[0])}`;
  throw new ArgumentError(`${name}: expected at least two classes in ${part}, got ${got}; a classifier needs two`);
}
