import { describe, expect, it } from 'vitest';
import { expectMemory } from '../../src/training/memory.js';

const parameters = new Map([
  ['big', { shape: [1000, 1_500_000] }],
  ['small', { shape: [10] }],
]) as unknown as Parameters<typeof expectMemory>[0]['parameters'];
const model = { name: 'giant', parameters };

describe('the estimate of memory', () => {
  it('refuses what cannot fit, with what it needs and what to do', () => {
    expect(() => expectMemory(model, ['big', 'small'], 16e9)).toThrow(
      'giant: training 1,500,000,010 numbers needs at least 36.0 GB of memory, and 16.0 GB are free: train fewer parameters with trainable (head, pooler+classifier), or use a machine with more',
    );
  });

  it('lets through what may', () => {
    expect(() => expectMemory(model, ['small'], 1e9)).not.toThrow();
    expect(() => expectMemory(model, ['big'], 36e9)).not.toThrow();
    expect(() => expectMemory(model, ['big'], 35.9e9)).toThrow();
  });
});
