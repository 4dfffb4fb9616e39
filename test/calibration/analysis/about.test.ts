// What results say about the mechanisms and attacks of a study.

import { expect, it } from 'vitest';
import { aboutAttacks, aboutMechanisms, noiseLengthAt } from '../../../src/calibration/analysis/about.js';
import { directional, gaussian, makeResults, none } from '../../report/fixtures.js';

const { study, shared } = makeResults();

it('only those of the study are described, each in full', () => {
  expect(aboutMechanisms(study).map(({ name, symbol, ascii, moreNoise }) => [name, symbol, ascii, moreNoise])).toEqual([
    ['gaussian', 'σ', 'sigma', 'higher'],
    ['directional', 'κ', 'kappa', 'lower'],
  ]);
  expect(aboutMechanisms({ ...study, mechanisms: { directional: { concentration: [1] } } })).toHaveLength(1);
  expect(aboutAttacks({ ...study, attacks: { membership: {} } }).map(({ name }) => name)).toEqual(['membership']);
  for (const about of [...aboutMechanisms(study), ...aboutAttacks(study)]) {
    expect(about.definition).toMatch(/^.{30,}\.$/);
    expect(JSON.parse(JSON.stringify(about))).toEqual(about);
  }
});

it('attacks see as many texts in one release as the study gives them', () => {
  expect(aboutAttacks(study).map(({ label, goal, texts }) => [label, goal, texts])).toEqual([
    ['span', 'reconstruction', 1],
    ['Decepticons', 'reconstruction', 8],
    ['membership', 'membership', 128],
  ]);
});

it('the length of noise is σ√K, per tensor where each is clipped by itself, and unknown for directions', () => {
  expect(noiseLengthAt(gaussian(0.5), study, { ...shared, numbers: 16 })).toEqual({ noiseLength: 2 });
  const apart = { ...study, sharing: { ...study.sharing, scope: 'tensor' as const } };
  expect(noiseLengthAt(gaussian(0.5), apart, { ...shared, numbers: 64, tensors: 4 })).toEqual({ noiseLength: 2 });
  expect(noiseLengthAt(directional(10), study, shared)).toEqual({});
  expect(noiseLengthAt(none, study, shared)).toEqual({});
});
