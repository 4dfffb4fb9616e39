// Splits that can be repeated: the same data and seeded source give the same indices. Their record is plain data, so a
// result can name the examples it was trained on without holding them.

import { ArgumentError, check, positiveInteger } from '../checks/index.js';
import { permutation, restoreSource, type SeededSource, type SourceState } from '../random/index.js';
import type { Example } from './data-set.js';
import { digestExamples, digestIndices } from './digest.js';

/** How examples are divided: by shares that add up to 1, into equally many ways, or undersampled to equal classes. */
export type SplitPlan =
  | { readonly kind: 'shares'; readonly shares: readonly number[] }
  | { readonly kind: 'ways'; readonly ways: number }
  | { readonly kind: 'undersample' };

/** Plain data that names the examples of a `Split` without holding them; `restoreSplit` repeats the split. */
export interface SplitRecord {
  readonly plan: SplitPlan;
  /** State of the seeded source. */
  readonly source: SourceState;
  /** How many examples were divided. */
  readonly examples: number;
  /** How many examples each part got. */
  readonly sizes: readonly number[];
  /** SHA-256 of texts, labels and groups. */
  readonly examplesDigest: string;
  /** SHA-256 of the parts' indices. */
  readonly indicesDigest: string;
}

/** Examples divided into parts, with the record of how. */
export interface Split {
  /** Rising indices into the examples, one array per part (see `pick`). */
  readonly parts: readonly Uint32Array[];
  readonly record: SplitRecord;
}

/**
 * Divides examples at random into disjoint parts of these shares, which must add up to 1. Examples of one group stay
 * together, so sizes may be off by less than the largest group. Not stratified.
 */
export const splitShares = (examples: readonly Example[], shares: readonly number[], source: SeededSource): Split =>
  split(examples, { kind: 'shares', shares }, source);

/** Divides examples at random into disjoint parts of equal size, within one without groups. Examples of one group stay together. */
export const splitWays = (examples: readonly Example[], ways: number, source: SeededSource): Split =>
  split(examples, { kind: 'ways', ways }, source);

/** Makes one part with equally many examples of every class, chosen at random: as many as the smallest class has. */
export const undersample = (examples: readonly Example[], source: SeededSource): Split =>
  split(examples, { kind: 'undersample' }, source);

/** The examples at these indices, in their order. */
export const pick = (examples: readonly Example[], indices: Uint32Array): Example[] =>
  Array.from(indices, (index) => {
    check({ index }, `below ${examples.length}`, (value) => value < examples.length);
    return examples[index] as Example;
  });

/** Repeats the split of a record; throws if the examples (texts, labels, groups, order) are not those it was made from. */
export function restoreSplit(record: SplitRecord, examples: readonly Example[]): Split {
  if (digestExamples(examples) !== record.examplesDigest) {
    throw new ArgumentError(
      `the split was made from ${record.examples} other examples, got ${examples.length}; load the data it was made from, or split again`,
    );
  }
  const again = split(examples, record.plan, restoreSource(record.source));
  if (again.record.indicesDigest !== record.indicesDigest) {
    throw new ArgumentError(
      'the record does not give the split it names: its seed, plan or digest was changed; split again',
    );
  }
  return again;
}

function split(examples: readonly Example[], plan: SplitPlan, source: SeededSource): Split {
  const stream = source.stream(plan.kind);
  const parts =
    plan.kind === 'undersample'
      ? [evenOut(examples, stream)]
      : distribute(examples, targetSizes(examples.length, plan), stream);
  return {
    parts,
    record: {
      plan,
      source: { ...source.state(), position: 0 }, // streams do not depend on earlier draws
      examples: examples.length,
      sizes: parts.map(({ length }) => length),
      examplesDigest: digestExamples(examples),
      indicesDigest: digestIndices(parts),
    },
  };
}

function targetSizes(count: number, plan: Exclude<SplitPlan, { kind: 'undersample' }>): number[] {
  if (plan.kind === 'ways') {
    positiveInteger({ ways: plan.ways });
    return Array.from(
      { length: plan.ways },
      (_, part) => Math.floor(count / plan.ways) + Number(part < count % plan.ways),
    );
  }
  const { shares } = plan;
  const sum = shares.reduce((total, share) => total + share, 0);
  check(
    { shares },
    'positive numbers that add up to 1',
    () => shares.every((share) => share > 0) && Math.abs(sum - 1) < 1e-9,
  );
  const ends = shares.map((_, part) =>
    Math.round(count * shares.slice(0, part + 1).reduce((total, share) => total + share, 0)),
  );
  return ends.map((end, part) => end - (ends[part - 1] ?? 0));
}

/** Takes groups in random order and gives each to the part that lacks most; an example without a group is a group of one. */
function distribute(examples: readonly Example[], targets: readonly number[], source: SeededSource): Uint32Array[] {
  const groups = groupIndices(examples);
  const lacking = [...targets];
  const parts = targets.map((): number[] => []);
  for (const at of permutation(source, groups.length)) {
    const group = groups[at] as number[];
    const part = lacking.reduce((best, count, index) => (count > (lacking[best] as number) ? index : best), 0);
    for (const index of group) parts[part]?.push(index);
    lacking[part] = (lacking[part] as number) - group.length;
  }
  const empty = parts.findIndex(({ length }) => length === 0);
  if (empty !== -1) {
    throw new ArgumentError(
      `cannot split ${examples.length} examples (${groups.length} groups) into parts of ${targets.join(', ')}: part ${empty} would be empty`,
    );
  }
  return parts.map((indices) => Uint32Array.from(indices).sort());
}

function groupIndices(examples: readonly Example[]): number[][] {
  const named = new Map<string, number[]>();
  const groups: number[][] = [];
  for (const [index, { group }] of examples.entries()) {
    const known = group === undefined ? undefined : named.get(group);
    if (known) {
      known.push(index);
      continue;
    }
    const fresh = [index];
    groups.push(fresh);
    if (group !== undefined) named.set(group, fresh);
  }
  return groups;
}

function evenOut(examples: readonly Example[], source: SeededSource): Uint32Array {
  const classes = new Map<number, number[]>();
  for (const [index, { label }] of examples.entries()) {
    if (label === undefined) throw new ArgumentError(`cannot undersample: example ${index} has no label`);
    const members = classes.get(label);
    if (members) members.push(index);
    else classes.set(label, [index]);
  }
  if (classes.size < 2)
    throw new ArgumentError(`cannot undersample: expected at least two classes, got ${classes.size}`);
  const smallest = Math.min(...[...classes.values()].map(({ length }) => length));
  const chosen = [...classes].flatMap(([label, members]) =>
    Array.from(permutation(source.stream(label), members.length).subarray(0, smallest), (at) => members[at] as number),
  );
  return Uint32Array.from(chosen).sort();
}
