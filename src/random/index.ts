export { bernoulli } from './bernoulli.js';
export { cryptographicSource, type FillRandom } from './cryptographic.js';
export type { Identity, StreamName } from './identity.js';
export { fillNormal, type NormalOptions, normal } from './normal.js';
export { permutation, shuffled } from './permutation.js';
export { restoreSource, type SeededSource, type SourceState, seededSource } from './seeded.js';
export type { RandomSource, WordSource } from './source.js';
export { fillUniform, integerBelow, uniform } from './uniform.js';
