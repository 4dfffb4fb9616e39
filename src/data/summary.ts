// A summary of a data set: sizes, classes, lengths, and texts that occur more than once.

import { type DataSet, type Example, type SplitName, splitNames } from './data-set.js';

const percents = [0, 5, 25, 50, 75, 95, 99, 100] as const;

/** By percentage: the smallest length that at least so many rows do not exceed. 0 is the minimum, 100 the maximum. */
export type LengthQuantiles = Readonly<Record<(typeof percents)[number], number>>;

/** The summary of one split. */
export interface PartSummary {
  /** Examples in the split. */
  readonly rows: number;
  /** Rows without text that were dropped when the data were read. */
  readonly skipped: number;
  /** Rows without a label. */
  readonly unlabelled: number;
  /** Rows of each class, in the order of the data set's classes. */
  readonly rowsPerClass: readonly number[];
  /** Classes without a row in this split. */
  readonly emptyClasses: readonly string[];
  /** Lengths in Unicode code points. */
  readonly characters: LengthQuantiles;
  /** Lengths in tokens, if `summarize` was given a function that counts them. */
  readonly tokens?: LengthQuantiles;
  /** Rows whose text, without outer spaces, already occurred in this split. */
  readonly repeated: number;
  /** Rows whose text also occurs in another split, by its name. */
  readonly alsoIn: Readonly<Partial<Record<SplitName, number>>>;
}

/** The summary of a data set. */
export interface DataSummary {
  readonly name: string;
  readonly classes: readonly string[];
  readonly parts: Readonly<Partial<Record<SplitName, PartSummary>>>;
}

/**
 * Summarises every split: rows, classes, lengths and repeated texts. `count` returns the number of tokens of a text; without
 * it, lengths are in characters only.
 */
export function summarize(dataSet: DataSet, count?: (text: string) => number): DataSummary {
  const present = splitNames.flatMap((part) => {
    const examples = dataSet.splits[part];
    return examples ? [{ part, examples, texts: new Set(examples.map(({ text }) => text.trim())) }] : [];
  });
  const parts = present.map(({ part, examples, texts }) => {
    const others = present.filter((other) => other.part !== part);
    const alsoIn = others.map((other) => [
      other.part,
      examples.filter(({ text }) => other.texts.has(text.trim())).length,
    ]);
    const rowsPerClass = countClasses(examples, dataSet.classes.length);
    const summary: PartSummary = {
      rows: examples.length,
      skipped: dataSet.skipped?.[part] ?? 0,
      unlabelled: examples.filter(({ label }) => label === undefined).length,
      rowsPerClass,
      emptyClasses: dataSet.classes.filter((_, index) => rowsPerClass[index] === 0),
      characters: quantiles(examples.map(({ text }) => countCharacters(text))),
      ...(count && { tokens: quantiles(examples.map(({ text }) => count(text))) }),
      repeated: examples.length - texts.size,
      alsoIn: Object.fromEntries(alsoIn),
    };
    return [part, summary];
  });
  return { name: dataSet.name, classes: dataSet.classes, parts: Object.fromEntries(parts) };
}

function countClasses(examples: readonly Example[], classes: number): number[] {
  const counts = Array<number>(classes).fill(0);
  for (const { label } of examples) if (label !== undefined) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

function countCharacters(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

function quantiles(lengths: readonly number[]): LengthQuantiles {
  const sorted = Float64Array.from(lengths).sort();
  const at = (percent: number) => sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? 0;
  return Object.fromEntries(percents.map((percent) => [percent, at(percent)])) as LengthQuantiles;
}
