import { expect, it } from 'vitest';
import { logGrid } from '../../src/math/index.js';

it('a logarithmic grid has the powers of ten exactly, even steps between them, and ends at 1', () => {
  const grid = logGrid(1e-5, 40);
  expect(grid).toHaveLength(201);
  for (const [decade, power] of [1e-5, 1e-4, 0.001, 0.01, 0.1, 1].entries()) expect(grid[40 * decade]).toBe(power);
  for (const [place, rate] of grid.slice(1).entries())
    expect(rate / (grid[place] as number)).toBeCloseTo(10 ** 0.025, 12);
});

it('it begins at the first place that is not below the least', () => {
  expect(logGrid(0.2, 3)).toEqual([10 ** (-2 / 3), 10 ** (-1 / 3), 1].map((rate) => expect.closeTo(rate, 12)));
  expect(logGrid(1, 7)).toEqual([1]);
});
