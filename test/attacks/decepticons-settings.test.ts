// The numbers of both attackers, worked out by hand for one model, and what is refused.

import { expect, it } from 'vitest';
import { settingsFor } from '../../src/attacks/decepticons/settings.js';
import { initializeReluTransformer, type ModelCore } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';

const model = initializeReluTransformer(seededSource('relu'), {
  vocabulary: 20,
  hidden: 96,
  heads: 8,
  layers: 3,
  intermediateSize: 200,
});
const like = (changes: Partial<ModelCore['layout']>, type = 'another'): ModelCore => ({
  ...model,
  layout: { ...model.layout, ...changes },
  rawConfig: { model_type: type },
});

it('of the published attacker are the paper’s', () => {
  expect(settingsFor(model, 'published')).toMatchObject({
    keyLength: 6,
    eps: 1e-4,
    scale: 1,
    gain: 1,
    skew: 1e8,
    rows: 'smallest',
    tokens: 'leaked',
    redrawn: false,
  });
  expect(settingsFor(like({}, 'gpt2'), 'published')).toMatchObject({ eps: 1e-8, scale: 1e6, redrawn: false });
  expect(settingsFor(like({}, 'bert'), 'published')).toMatchObject({ eps: 1e-8, scale: 1e8, replaceBelow: 0.25 });
  // An inherited name is no model.
  expect(() => settingsFor(like({}, 'constructor'), 'published')).toThrow('got constructor');
});

it('of the noise-aware attacker let the gradient that is read outgrow the others', () => {
  // ReLU opens at once: scale 1, gain 1000 · 200, and after the norm eps = gain · 96 / 200.
  expect(settingsFor(model, 'noise-aware')).toMatchObject({ scale: 1, gain: 2e5, eps: 96_000, rows: 'jumps' });
  // GELU opens over 2 / scale: 64 · 3 layers · 200 units; before the norm the gain has the scale twice, and eps none of it.
  const scale = 38_400;
  const pre = settingsFor(like({ activation: 'gelu', normPlacement: 'pre' }), 'noise-aware');
  expect(pre).toMatchObject({ scale, gain: 2e5 * scale * scale });
  expect(pre.eps).toBeCloseTo(96 / (200 * scale), 12);
  const post = settingsFor(like({ activation: 'gelu' }), 'noise-aware');
  expect(post.gain).toBe(2e5 * scale);
  expect(post.eps).toBe(96_000);
});

it('spread the loss if tokens attend to all others and there is a spare layer', () => {
  const equalise = (changes: Partial<ModelCore['layout']>, layers = 3) =>
    settingsFor({ ...like(changes), config: { ...model.config, layers } }, 'noise-aware').equalise;
  expect([equalise({ attention: 'bidirectional' }), equalise({ attention: 'causal' })]).toEqual([true, false]);
  expect(equalise({ attention: 'bidirectional' }, 1)).toBe(false);
});

it('have keys of which two fit into a head', () => {
  const keyLength = (heads: number, type: string) =>
    settingsFor({ ...like({}, type), config: { ...model.config, heads } }, 'noise-aware').keyLength;
  expect([1, 2, 8, 24].map((heads) => keyLength(heads, 'bert'))).toEqual([32, 24, 6, 2]);
  expect(keyLength(1, 'relu-transformer')).toBe(6);
  expect(() => keyLength(32, 'bert')).toThrow('invalid size of a head: expected at least 4, for two keys, got 3');
});

it('take changes, and refuse those that make no sense', () => {
  const change = (changes: object) => settingsFor(model, 'noise-aware', changes);
  expect(change({ gain: 5, keyPosition: 31 })).toMatchObject({ gain: 5, keyPosition: 31, scale: 1 });
  for (const name of ['skew', 'eps', 'scale', 'gain', 'deviation'])
    expect(() => change({ [name]: 0 })).toThrow(`invalid ${name}: expected`);
  for (const keyLength of [0, 1.5, 7]) expect(() => change({ keyLength })).toThrow('invalid keyLength: expected');
  for (const keyPosition of [-1, 0.5, 32])
    expect(() => change({ keyPosition })).toThrow('invalid keyPosition: expected');
  expect(() => change({ magic: 2 })).toThrow('Decepticons has no setting magic');
});

it('refuse what other settings would ignore', () => {
  const change = (changes: object) => settingsFor(model, 'noise-aware', changes);
  expect(() => change({ deviation: 0.1, redrawn: false })).toThrow('deviation: expected redrawn tables');
  expect(change({ deviation: 0.1 }).deviation).toBe(0.1);
  expect(() => change({ replaceBelow: 0.5 })).toThrow('replaceBelow: expected leaked tokens to replace');
  expect(change({ replaceBelow: 0.5, tokens: 'leaked' }).replaceBelow).toBe(0.5);
});
