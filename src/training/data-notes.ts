// What training did to the data, and what a reader of its scores should know about them. These counts are not private.

import { type DataSet, type Example, type SplitName, splitNames } from '../data/index.js';
import type { Model } from '../models/index.js';
import { type EncodedDataSet, encodeDataSet } from './encode.js';

/** Texts that were cut to the most tokens. */
export interface CutTexts {
  /** How many texts were cut. */
  readonly texts: number;
  /** The share of its tokens that a cut text lost: the median of these texts, and the largest. */
  readonly medianLost: number;
  readonly mostLost: number;
}

/** What training did to the data, per split where that makes sense. None of it is private. */
export interface DataNotes {
  /** Rows that were used. */
  readonly rows: Readonly<Partial<Record<SplitName, number>>>;
  /** Rows without text that were left out. */
  readonly skipped: Readonly<Partial<Record<SplitName, number>>>;
  /** Splits that were not scored, because rows of theirs have no label. */
  readonly unlabelled: readonly SplitName[];
  /** Absent for splits in which no text was cut. */
  readonly cut: Readonly<Partial<Record<SplitName, CutTexts>>>;
  /** The most tokens of a text. */
  readonly maxTokens: number;
  /** Classes with one row in train, or none. */
  readonly scarceClasses: readonly { readonly name: string; readonly rows: number }[];
  /** Rows of train whose text, without outer spaces, already occurred there. */
  readonly repeated: number;
  /** Rows of other splits whose text also occurs in train; absent where there are none. */
  readonly alsoInTrain: Readonly<Partial<Record<SplitName, number>>>;
  /** If the rows of train belong to groups, such as users: how many groups, and the rows of the largest. The unit of a guarantee stays one row. */
  readonly groups?: { readonly count: number; readonly largest: number };
}

/** Encodes a data set as `encodeDataSet` does, and counts what is noteworthy on the way. */
export function encodeWithNotes(
  dataSet: DataSet,
  model: Model,
  options: { readonly maxTokens: number },
): { readonly data: EncodedDataSet; readonly notes: DataNotes } {
  const maxTokens = Math.min(options.maxTokens, model.config.positions);
  const lost: Record<SplitName, number[]> = { train: [], validation: [], test: [] };
  const onLength = (split: SplitName, tokens: number) => {
    if (tokens > maxTokens) lost[split].push(1 - maxTokens / tokens);
  };
  const data = encodeDataSet(dataSet, model, { maxTokens, onLength });
  const cut = splitNames.flatMap((split) =>
    lost[split].length > 0 ? [[split, summarizeCut(lost[split])] as const] : [],
  );
  return { data, notes: { ...countRows(dataSet, data), cut: Object.fromEntries(cut), maxTokens } };
}

function summarizeCut(shares: readonly number[]): CutTexts {
  const sorted = Float64Array.from(shares).sort();
  return {
    texts: sorted.length,
    medianLost: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0,
    mostLost: sorted.at(-1) ?? 0,
  };
}

function countRows(
  { classes, splits, skipped = {} }: DataSet,
  data: EncodedDataSet,
): Omit<DataNotes, 'cut' | 'maxTokens'> {
  const train = splits.train ?? [];
  const texts = new Set(train.map(({ text }) => text.trim()));
  const perClass = new Array<number>(classes.length).fill(0);
  for (const { label } of train) if (label !== undefined) perClass[label] = (perClass[label] ?? 0) + 1;
  const groups = countGroups(train);
  const used = splitNames.filter((split) => data[split] !== undefined);
  const shared = used.flatMap((split) => {
    const rows = split === 'train' ? 0 : (splits[split] ?? []).filter(({ text }) => texts.has(text.trim())).length;
    return rows === 0 ? [] : [[split, rows] as const];
  });
  return {
    rows: Object.fromEntries(used.map((split) => [split, splits[split]?.length ?? 0])),
    skipped,
    unlabelled: splitNames.filter((split) => splits[split] !== undefined && data[split] === undefined),
    scarceClasses: classes.flatMap((name, label) => {
      const rows = perClass[label] ?? 0;
      return rows <= 1 ? [{ name, rows }] : [];
    }),
    repeated: train.length - texts.size,
    alsoInTrain: Object.fromEntries(shared),
    ...(groups && { groups }),
  };
}

/** Rows without a group are groups of their own. */
function countGroups(examples: readonly Example[]): DataNotes['groups'] {
  const sizes = new Map<string, number>();
  let alone = 0;
  for (const { group } of examples) {
    if (group === undefined) alone += 1;
    else sizes.set(group, (sizes.get(group) ?? 0) + 1);
  }
  if (sizes.size === 0) return undefined;
  let largest = 1;
  for (const size of sizes.values()) largest = Math.max(largest, size);
  return { count: sizes.size + alone, largest };
}
