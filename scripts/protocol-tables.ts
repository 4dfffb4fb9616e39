// Rows of the protocol as Markdown tables.

import { studentInterval } from '../src/metrics/index.js';

export interface ProtocolRow {
  readonly task: string;
  readonly model: string;
  readonly mechanism: string;
  /** ε or κ, as text: infinity has no JSON. */
  readonly level: string;
  readonly rate: number;
  readonly seed: number;
  readonly figures: {
    readonly accuracy: number;
    readonly matthews: number;
    readonly macroF1: number;
    readonly trainAccuracy: number;
    readonly noiseMultiplier?: number;
    readonly epsilon?: number;
    readonly cosine?: number;
    readonly cosineToGradient?: number;
    readonly examples: number;
    readonly parameters: number;
    readonly seconds: number;
  };
}

function interval(numbers: readonly number[], digits: number, scale = 1): string {
  const { mean, upper } = studentInterval(numbers);
  const shown = (scale * mean).toFixed(digits);
  return numbers.length < 2 ? shown : `${shown} ± ${(scale * (upper - mean)).toFixed(digits)}`;
}

export function printTables(rows: readonly ProtocolRow[]): string {
  const groups = groupBy(rows, ({ task, model, rate }) => `${task}, ${model}, learning rate ${rate}`);
  return [...groups].map(([title, group]) => table(title, group)).join('\n');
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function table(title: string, rows: readonly ProtocolRow[]): string {
  const first = rows[0]?.figures;
  const byLevel = groupBy(rows, ({ mechanism, level }) => `${mechanism} ${level}`);
  const lines = [...byLevel.values()].map((group) => {
    const of = (pick: (figures: ProtocolRow['figures']) => number) => group.map(({ figures }) => pick(figures));
    const { mechanism, level, figures } = group.find((row) => row.seed === 1) ?? (group[0] as ProtocolRow);
    const noise =
      mechanism === 'none'
        ? 'none'
        : mechanism === 'directional'
          ? `κ = ${Number(level)}`
          : `ε = ${Number(level)}, σ = ${short(figures.noiseMultiplier)}`;
    return `| ${noise} | ${short(figures.cosine)} | ${short(figures.cosineToGradient)} | ${interval(
      of((f) => f.accuracy),
      1,
      100,
    )} | ${interval(
      of((f) => f.matthews),
      3,
    )} | ${interval(
      of((f) => f.macroF1),
      3,
    )} | ${interval(
      of((f) => f.trainAccuracy - f.accuracy),
      1,
      100,
    )} |`;
  });
  return `**${title}** (N = ${first?.examples}, K = ${first?.parameters}, ${new Set(rows.map(({ seed }) => seed)).size} seeds)

| noise | cosine to its sum | cosine to the gradient | accuracy % | Matthews | macro F1 | train–test gap |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

const short = (number: number | undefined): string => (number === undefined ? '–' : `${Number(number.toPrecision(3))}`);
