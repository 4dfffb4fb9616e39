// Class names and their order.

import { ArgumentError } from '../checks/index.js';
import type { DataSet, SplitName } from './data-set.js';

/** Sorts class names: whole numbers by value, anything else by code unit, which is the same order on every machine. */
export function sortClasses(labels: Iterable<string>): string[] {
  const classes = [...new Set(labels)].sort();
  return classes.every((name) => /^-?\d+$/.test(name)) ? classes.sort((a, b) => Number(a) - Number(b)) : classes;
}

/**
 * Throws unless a classifier can be trained on this split (default: train): every example has a label, and at least two
 * classes occur.
 */
export function checkClasses({ name, classes, splits }: DataSet, split: SplitName = 'train'): void {
  const examples = splits[split] ?? [];
  const missing = examples.findIndex(({ label }) => label === undefined);
  if (missing !== -1)
    throw new ArgumentError(`${name}: expected a label on every example of ${split}, got none on example ${missing}`);
  const present = classes.filter((_, index) => examples.some(({ label }) => label === index));
  if (present.length >= 2) return;
  const got = present.length === 0 ? 'none' : `only ${JSON.stringify(present[0])}`;
  throw new ArgumentError(`${name}: expected at least two classes in ${split}, got ${got}; a classifier needs two`);
}
