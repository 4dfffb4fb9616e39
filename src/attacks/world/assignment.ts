// Which model of a world is trained on which examples. `paper`: every model has two parts of its own, one to train on and one of non-members,
// and no two models share an example (Faustini et al., their table 6: 11 models). `halves`: a coin decides whether an example is in the training data
// of a target, and it is in those of half of the other models, chosen at random, which is what LiRA and RMIA want.

import { ArgumentError, option, say } from '../../checks/index.js';
import { permutation, type SeededSource, uniform } from '../../random/index.js';
import type { ReferenceNeed } from '../attack.js';
import { unitsOf } from '../evaluation/membership.js';

/** How examples are given to models. */
export type WorldSplit = 'paper' | 'halves';

/** The examples of one model, by number. */
export interface ModelExamples {
  /** Those it is trained on. */
  readonly members: readonly number[];
  /** Those that it is compared with: of the same draw, and not trained on. */
  readonly others: readonly number[];
}

/** The split in which an attack finds the models that it needs. */
export const usualSplit = (need: ReferenceNeed): WorldSplit => (need === 'both' ? 'halves' : 'paper');

/** Throws an ArgumentError if so many other models, trained on these examples, are not what an attack needs. */
export function expectWorld(need: ReferenceNeed, split: WorldSplit, references: number, targets = 1): void {
  if (split === 'paper' && need === 'both') {
    throw new ArgumentError(
      say`this attack needs models that were trained on each candidate, and with ${option('examples')} paper no two models share an example: use halves, or the mode offline`,
    );
  }
  // Halves of six models leave two others of each kind for every candidate.
  const least = need === 'none' || need === 'own' ? 1 : split === 'halves' ? 5 : 2;
  if (references < least) {
    throw new ArgumentError(
      say`invalid ${option('references')}: expected at least ${least} for this attack, got ${references}`,
    );
  }
  // Of the models that are no targets, two must have been trained on each candidate and two not.
  if (least < 5 || references + 1 - targets >= 4) return;
  throw new ArgumentError(
    say`invalid ${option('targets')}: expected at most ${references - 3}, so that four models are left to compare with, got ${targets}: train more references`,
  );
}

/** The least examples of a model on each side. */
const fewest = 4;

/** Gives `count` examples to `models` models, of which the first `targets` are attacked. Examples of one group stay together: near-copies are members of a model, or others, but not both. */
export function assignExamples(
  split: WorldSplit,
  count: number,
  models: number,
  random: SeededSource,
  groups: readonly (string | undefined)[] = [],
  targets = 1,
): readonly ModelExamples[] {
  if (models < 2)
    throw new ArgumentError(`invalid models: expected at least 2, the target and one other, got ${models}`);
  const least = split === 'paper' ? 2 * models * fewest : 2 * fewest;
  if (count < least) {
    throw new ArgumentError(
      `expected at least ${least} labelled examples for ${models} models, got ${count}: give more data, or fewer models`,
    );
  }
  const units = unitsOf(count, groups);
  if (split === 'halves') return inHalves(units, models, Math.min(targets, models), random);
  return units.length === count ? inParts(count, models, random) : inGroupedParts(units, models, random);
}

/** 2 × models parts of equal size; what is left over belongs to nobody. */
function inParts(count: number, models: number, random: SeededSource): ModelExamples[] {
  const order = permutation(random.stream('parts'), count);
  const size = Math.floor(count / (2 * models));
  const part = (k: number) => [...order.subarray(k * size, (k + 1) * size)].sort((a, b) => a - b);
  return Array.from({ length: models }, (_, model) => ({ members: part(2 * model), others: part(2 * model + 1) }));
}

/** The same with whole groups: each goes to the part that lacks most, or to nobody if it is too large for that. */
function inGroupedParts(units: readonly (readonly number[])[], models: number, random: SeededSource): ModelExamples[] {
  const size = Math.floor(units.reduce((sum, { length }) => sum + length, 0) / (2 * models));
  const parts = Array.from({ length: 2 * models }, (): number[] => []);
  for (const at of permutation(random.stream('parts'), units.length)) {
    const unit = units[at] as readonly number[];
    const part = parts.reduce((best, one) => (one.length < best.length ? one : best));
    if (part.length + unit.length <= size) part.push(...unit);
  }
  const sorted = (k: number) => (parts[k] as number[]).sort((a, b) => a - b);
  const assigned = Array.from({ length: models }, (_, model) => ({
    members: sorted(2 * model),
    others: sorted(2 * model + 1),
  }));
  return expectEnough(assigned, units);
}

/** Throws an ArgumentError if groups are so few or so large that a model got next to nothing. */
function expectEnough(assigned: ModelExamples[], units: readonly (readonly number[])[]): ModelExamples[] {
  if (assigned.every(({ members, others }) => Math.min(members.length, others.length) >= fewest)) return assigned;
  throw new ArgumentError(
    `expected groups that can be divided among ${assigned.length} models, got ${units.length} of up to ${Math.max(...units.map(({ length }) => length))} examples: give more data, or fewer models`,
  );
}

/**
 * Each unit of examples goes to half of the models that are no targets; with an odd number of them, to one more as often as to one fewer. Whether it
 * goes to a target is independent of that: if it were in half of all models, counting those that have it would tell whether the target has it too.
 */
function inHalves(
  units: readonly (readonly number[])[],
  models: number,
  targets: number,
  random: SeededSource,
): ModelExamples[] {
  const [stream, coins] = [random.stream('halves'), random.stream('coins')];
  const members = Array.from({ length: models }, (): number[] => []);
  const rest = models - targets;
  const order = permutation(random.stream('odd'), units.length);
  for (const [k, unit] of units.entries()) {
    for (let target = 0; target < targets; target++) if (uniform(coins) < 0.5) members[target]?.push(...unit);
    const chosen = Math.floor((rest + ((order[k] as number) % 2)) / 2);
    if (rest === 0) continue;
    for (const model of permutation(stream, rest).subarray(0, chosen)) members[targets + model]?.push(...unit);
  }
  const all = units.flat().sort((a, b) => a - b);
  const assigned = members.map((own) => {
    const inside = new Set(own);
    return { members: own.sort((a, b) => a - b), others: all.filter((example) => !inside.has(example)) };
  });
  return expectEnough(assigned, units);
}
