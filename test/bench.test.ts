// The benchmark's own tools.

import { describe, expect, it } from 'vitest';
import { median } from '../bench/case.js';
import { formatTable } from '../bench/table.js';

describe('the benchmark', () => {
  it('aligns its table', () => {
    const rows = [
      { what: 'a step', value: 1234.4, unit: 'ms' },
      { what: 'its share', value: 0.957, unit: '', reach: '>= 0.95' },
    ];
    expect(formatTable(rows)).toBe('a step     1234 ms\nits share  0.96     >= 0.95\n');
  });

  it('takes the middle of the times', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});
