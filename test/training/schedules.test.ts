// Learning-rate schedules in closed forms.

import { describe, expect, it } from 'vitest';
import { linearSchedule, type ScheduleName, scheduleNames, scheduleOf } from '../../src/training/index.js';

const ratesOf = (kind: ScheduleName, warmup: number, at: readonly number[]) =>
  at.map(scheduleOf(kind, 2, { steps: 12, warmup }));

describe('a schedule', () => {
  it.each(scheduleNames)('%s: rises to its peak over the warm-up', (kind) => {
    expect(ratesOf(kind, 1 / 3, [0, 1, 2, 3, 4])).toEqual([0.5, 1, 1.5, 2, 2]);
    expect(ratesOf(kind, 0, [0])).toEqual([2]);
    expect(ratesOf(kind, 1, [0, 5, 11])).toEqual([1 / 6, 1, 2]);
  });

  it('falls linearly, as half a cosine, or not at all', () => {
    const at = [4, 6, 8, 10, 12, 20];
    expect(ratesOf('linear', 1 / 3, at)).toEqual([2, 1.5, 1, 0.5, 0, 0]);
    const [first, quarter, half, threeQuarters, ...rest] = ratesOf('cosine', 1 / 3, at) as [number, ...number[]];
    expect([first, ...rest]).toEqual([2, 0, 0]);
    expect(quarter).toBeCloseTo(1 + Math.SQRT1_2, 14);
    expect(half).toBeCloseTo(1, 14);
    expect(threeQuarters).toBeCloseTo(1 - Math.SQRT1_2, 14);
    expect(ratesOf('constant', 1 / 3, at)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it('is to the bit the linear one of before by default, for any number of steps', () => {
    for (let steps = 1; steps <= 400; steps++) {
      const [before, now] = [linearSchedule(3e-4, { steps }), scheduleOf('linear', 3e-4, { steps })];
      for (let step = 0; step < steps; step += 7) expect(now(step)).toBe(before(step));
      const rising = Array.from({ length: steps }, (_, step) => now(step)).indexOf(3e-4) + 1;
      expect(rising).toBe(Math.ceil(steps / 20));
    }
  });

  it('checks its options', () => {
    expect(() => scheduleOf('stairs' as ScheduleName, 1, { steps: 3 })).toThrow(
      'invalid schedule: expected linear, cosine or constant, got stairs',
    );
    expect(() => scheduleOf('toString' as ScheduleName, 1, { steps: 3 })).toThrow('invalid schedule');
    for (const warmup of [-0.1, 1.1, Number.NaN]) {
      expect(() => scheduleOf('linear', 1, { steps: 3, warmup })).toThrow(
        'invalid warmup: expected a share from 0 to 1',
      );
    }
    expect(() => scheduleOf('linear', 1, { steps: 0 })).toThrow('invalid steps');
  });
});
