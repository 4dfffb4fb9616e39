// The splits of the paper on calibration and directional privacy, for its three data sets:
//   CoLA   train and dev undersampled to equal classes (5,056 and 324 rows), tested on the out-of-domain dev set (516)
//   SST-2  train split 90 : 10, each side undersampled (together 59,560 rows), tested on dev (872)
//   IMDb   train split 90 : 10 (22,500 and 2,500), tested on test (25,000)
// The splits that have labels tell which of the three it is.

import { ArgumentError } from '../checks/index.js';
import { restoreSource, type SeededSource, type SourceState } from '../random/index.js';
import { checkClasses } from './classes.js';
import { type DataSet, type Example, type SplitName, splitNames } from './data-set.js';
import { digestExamples, digestIndices } from './digest.js';
import { pick, splitShares, undersample } from './splits.js';

/** The examples of a new split: some of those of a given one. */
export interface Selection {
  readonly from: SplitName;
  /** Rising indices into the split `from`. */
  readonly indices: Uint32Array;
}

/** Plain data that names the examples of a `PaperSplit` without holding them; `restorePaperSplit` repeats the split. */
export interface PaperSplitRecord {
  readonly kind: 'calibration-paper';
  /** State of the seeded source. */
  readonly source: SourceState;
  readonly parts: Readonly<
    Record<
      SplitName,
      { readonly from: SplitName; readonly size: number; readonly fromDigest: string; readonly indicesDigest: string }
    >
  >;
}

/** A data set divided as in the paper, with the record of how. */
export interface PaperSplit {
  readonly dataSet: DataSet;
  /** Which of the given examples each new split holds. */
  readonly selections: Readonly<Record<SplitName, Selection>>;
  readonly record: PaperSplitRecord;
}

/**
 * Divides CoLA, SST-2 or IMDb into train, validation and test as the paper on calibration and directional privacy does
 * (docs/data.md has the sizes). Throws unless train and at least one of validation and test have labels.
 */
export function paperSplit(dataSet: DataSet, source: SeededSource): PaperSplit {
  checkClasses(dataSet);
  const selections = select(dataSet, source.stream('paper'));
  const ofPart = <T>(make: (part: SplitName) => T) =>
    Object.fromEntries(splitNames.map((part) => [part, make(part)])) as Record<SplitName, T>;
  const examplesOf = (part: SplitName) => dataSet.splits[part] as readonly Example[];
  return {
    dataSet: {
      ...dataSet,
      splits: ofPart((part) => pick(examplesOf(selections[part].from), selections[part].indices)),
    },
    selections,
    record: {
      kind: 'calibration-paper',
      source: { ...source.state(), position: 0 },
      parts: ofPart((part) => {
        const { from, indices } = selections[part];
        const digests = { fromDigest: digestExamples(examplesOf(from)), indicesDigest: digestIndices([indices]) };
        return { from, size: indices.length, ...digests };
      }),
    },
  };
}

/** Repeats the split of a record; throws if the data are not those it was made from. */
export function restorePaperSplit(record: PaperSplitRecord, dataSet: DataSet): PaperSplit {
  const again = paperSplit(dataSet, restoreSource(record.source));
  for (const part of splitNames) {
    const [was, is] = [record.parts[part], again.record.parts[part]];
    if (was.from === is.from && was.fromDigest === is.fromDigest && was.indicesDigest === is.indicesDigest) continue;
    throw new ArgumentError(
      `${dataSet.name}: the record's split ${part} has ${was.size} rows of other data or another seed, got ${is.size}; load the data it was made from, or split again`,
    );
  }
  return again;
}

function select({ name, splits: parts }: DataSet, source: SeededSource): Record<SplitName, Selection> {
  const { train = [], validation, test } = parts;
  const isLabelled = (examples: readonly Example[] = []) =>
    examples.length > 0 && examples.every(({ label }) => label !== undefined);
  const even = (from: SplitName, among: Uint32Array, stream: string): Selection => {
    const { parts: chosen } = undersample(pick(parts[from] ?? [], among), source.stream(stream));
    return { from, indices: (chosen[0] as Uint32Array).map((index) => among[index] as number) };
  };
  const all = (from: SplitName): Selection => ({ from, indices: Uint32Array.from((parts[from] ?? []).keys()) });
  const ninety = () => splitShares(train, [0.9, 0.1], source).parts as [Uint32Array, Uint32Array];

  if (validation && isLabelled(validation) && isLabelled(test)) {
    return {
      train: even('train', all('train').indices, 'train'),
      validation: even('validation', all('validation').indices, 'validation'),
      test: all('test'),
    };
  }
  const [most, rest] = ninety();
  if (isLabelled(validation)) {
    return {
      train: even('train', most, 'train'),
      validation: even('train', rest, 'validation'),
      test: all('validation'),
    };
  }
  if (isLabelled(test)) {
    return { train: { from: 'train', indices: most }, validation: { from: 'train', indices: rest }, test: all('test') };
  }
  throw new ArgumentError(
    `${name}: expected labels on validation or test, because the paper tests on one of them, got none`,
  );
}
