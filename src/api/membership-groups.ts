// Chooses members and non-members of a membership attack: whom the model was trained on, and whom it never saw.

import { compareKinds, type KindTest, type OthersFrom } from '../attacks/index.js';
import { ArgumentError, type Message, option, say } from '../checks/index.js';
import { type DataSet, digestExamples, type Example, holdOut, pick, type RowNumber } from '../data/index.js';
import type { Model } from '../models/index.js';
import type { RandomSource } from '../random/index.js';
import { encodeDataSet, expectClasses, type LabelledExamples } from '../training/index.js';
import { originOf } from './origin.js';
import type { TrainedOn } from './trained-on.js';

/** The two sides of an attack. */
export interface MembershipGroups {
  readonly members: LabelledExamples;
  /** Where the members stand in the data. */
  readonly rows: readonly RowNumber[];
  readonly others: LabelledExamples;
  readonly othersFrom: OthersFrom;
  readonly kind?: KindTest;
  /** Groups of both sides, such as mail threads. */
  readonly groups: { readonly members: Groups; readonly others: Groups };
  /** Whether any example has a group. */
  readonly grouped: boolean;
  /** Whether a text occurs more than once on a side. Holding out keeps copies together, as it does groups. */
  readonly hasCopies: boolean;
}

type Groups = readonly (string | undefined)[];

interface GroupOptions {
  readonly model: Model;
  readonly dataSet: DataSet;
  readonly trainedOn: TrainedOn | undefined;
  /** Default: `held-out` if the run held anything out, otherwise test, otherwise validation. */
  readonly others: string | undefined;
  readonly maxTokens: number;
  readonly random: RandomSource;
}

/** Members are the examples that were trained on. Non-members that were not drawn by the run are tested for their kind. */
export function chooseGroups(options: GroupOptions): MembershipGroups {
  const { model, dataSet, trainedOn, maxTokens, random } = options;
  const { train = [] } = dataSet.splits;
  const name = originOf(dataSet)?.source ?? dataSet.name;
  expectClasses(dataSet);
  expectSameData(name, train, trainedOn);
  const { trained, heldOut } = holdOut(train, trainedOn?.holdOut ?? { share: 0, seed: 0 });
  const outside = { ...dataSet.splits, 'held-out': heldOut.length > 0 ? pick(train, heldOut) : undefined };
  const othersFrom = sourceOf(options.others, outside, name);
  const sides = { train: pick(train, trained), test: outside[othersFrom] as readonly Example[] };
  const { train: members, test: others } = encodeDataSet({ ...dataSet, splits: sides }, model, { maxTokens });
  if (others === undefined) throw new ArgumentError(missing(name, othersFrom, outside));
  const groupsOf = (examples: readonly Example[]) => examples.map(({ group }) => group);
  const groups = { members: groupsOf(sides.train), others: groupsOf(sides.test) };
  const grouped = Object.values(groups).some((names) => names.some((name) => name !== undefined));
  const hasCopies = Object.values(sides).some(
    (side) => new Set(side.map(({ text }) => text.trim())).size < side.length,
  );
  const rows = Array.from(trained, (place) => ({ split: 'train' as const, row: place + 1 }));
  const found = { members, rows, others, othersFrom, groups, grouped, hasCopies };
  if (othersFrom === 'held-out') return found;
  const kind = compareKinds({ ...members, groups: groups.members }, { ...others, groups: groups.others }, random);
  return { ...found, ...(kind && { kind }) };
}

type Outside = Readonly<Partial<Record<OthersFrom, readonly Example[] | undefined>>>;

const sources: readonly OthersFrom[] = ['held-out', 'test', 'validation'];

const isUsable = (outside: Outside, source: OthersFrom): boolean =>
  outside[source]?.every(({ label }) => label !== undefined) ?? false;

function sourceOf(wanted: string | undefined, outside: Outside, name: string): OthersFrom {
  const chosen = wanted ?? sources.find((source) => isUsable(outside, source)) ?? 'test';
  const source = sources.find((one) => one === chosen);
  if (source === undefined) {
    throw new ArgumentError(`invalid others: expected ${sources.join(' or ')}, got ${chosen}`);
  }
  if (isUsable(outside, source)) return source;
  throw new ArgumentError(missing(name, source, outside));
}

function missing(name: string, source: OthersFrom, outside: Outside): Message {
  const other = sources.find((one) => isUsable(outside, one));
  const remedy = other
    ? say`set ${option('others')} to ${other}`
    : 'train with a share of the examples held out and keep the model in the folder of its run, or give a folder with files train and test, such as train.csv and test.csv';
  if (source === 'held-out') {
    return say`${name}: expected examples that the run held out before training, found no run that did: ${remedy}`;
  }
  return say`${name}: expected labelled data in the split ${source}, got none: ${remedy}`;
}

function expectSameData(name: string, train: readonly Example[], trainedOn: TrainedOn | undefined): void {
  const known = trainedOn?.train;
  if (known === undefined || digestExamples(train) === known.digest) return;
  throw new ArgumentError(
    `${name}: expected the data of the run, ${known.examples} examples of ${trainedOn?.data}, got other texts, labels or groups (${train.length} examples): give the same data with the same options`,
  );
}
