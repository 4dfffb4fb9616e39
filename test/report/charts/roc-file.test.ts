// The ROC chart of one target, as `epsilens attack … --roc` writes it.

import { expect, it } from 'vitest';
import { membershipBound } from '../../../src/privacy/index.js';
import { drawRoc, type RocDrawing } from '../../../src/report/index.js';

const points = (...rates: [number, number][]) =>
  rates.map(([falsePositiveRate, truePositiveRate]) => ({ falsePositiveRate, truePositiveRate }));
const drawing: RocDrawing = {
  title: 'LiRA: members told from others',
  curves: [
    { name: 'LiRA', points: points([0, 0], [0, 0.05], [0.02, 0.2], [0.1, 0.5], [1, 1]) },
    { name: 'the loss alone', points: points([0, 0], [0.05, 0], [0.05, 0.1], [0.5, 0.6], [1, 1]) },
  ],
  members: 200,
  others: 100,
};
const bound = { epsilon: 2, delta: 1e-3, points: membershipBound(0.01, 2, 1e-3) };

const pathsOf = (svg: string) =>
  [...svg.matchAll(/<g[^>]*aria-label="line"[^>]*><path d="([^"]*)"/g)].map(([, path]) => path as string);
const placesOf = (path: string) =>
  [...path.matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);

it('has a line for each attack, for guessing, and for the guarantee with its ε and δ', async () => {
  const svg = drawRoc({ ...drawing, bound });
  await expect(svg).toMatchFileSnapshot('../../golden/report/roc-lira.svg');
  expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  for (const words of ['LiRA', 'the loss alone', 'guarantee: ε&#160;=&#160;2, δ&#160;=&#160;0.001', 'guessing']) {
    expect(svg).toContain(`>${words}<`);
  }
  expect(pathsOf(svg)).toHaveLength(4);
  expect(pathsOf(drawRoc(drawing))).toHaveLength(3);
  expect(drawRoc(drawing)).not.toContain('guarantee');
});

it('begins at the lowest false positive rate with what is found without any, or where the line comes up', () => {
  const [, second, first] = pathsOf(drawRoc(drawing)).map(placesOf);
  // 100 others: the frame begins at 0.01, where five of a hundred members are found already.
  expect(first?.[0]?.[0]).toBe(64);
  const height = (rate: number) => Math.log10(1.2 / rate) / Math.log10(1.2 / (0.8 / 200));
  const [top = 0, bottom = 0] = [first?.at(-1)?.[1], second?.[0]?.[1]];
  expect(first?.[0]?.[1]).toBeCloseTo(top + ((height(0.05) - height(1)) / (1 - height(1))) * (bottom - top), 0);
  // The second finds nobody below 0.05, so it rises from the bottom of the frame there.
  const across = (Math.log10(0.05) + 2) / 2;
  expect(second?.[0]?.[0]).toBeCloseTo(64 + across * (406 - 64), 0);
  expect(second?.[1]?.[0]).toBe(second?.[0]?.[0]);
});

it('shows both colours where two attacks rank alike', () => {
  const same = drawing.curves.map((one) => ({ ...one, points: drawing.curves[0]?.points ?? [] }));
  const svg = drawRoc({ ...drawing, curves: same });
  const [, below, above] = pathsOf(svg);
  expect(below).toBe(above);
  const widths = [...svg.matchAll(/<g[^>]*aria-label="line"[^>]*>/g)].map(([tag]) => [
    /stroke="([^"]*)"/.exec(tag)?.[1],
    Number(/stroke-width="([^"]*)"/.exec(tag)?.[1]),
  ]);
  expect(widths.slice(1)).toEqual([
    ['#d55e00', 5],
    ['#0072b2', 2],
  ]);
});

it('says in words what it shows', () => {
  expect(drawRoc({ ...drawing, bound })).toContain(
    'LiRA: true positive rate 0.05 at 0.01, true positive rate 0.50 at 0.1; the loss alone: true positive rate 0.00 at 0.01',
  );
});
