// What the study of leakage runs over. A change here makes new rows and, of the recipe, new models.

import type { Protection } from '../../src/attacks/index.js';

/** Sentences attacked for each model and data set. */
export const sentenceCount = 50;

export const tasks = {
  CoLA: { folder: 'cola', tokens: 64, examples: 4000, epochs: 1 },
  'SST-2': { folder: 'sst2', tokens: 64, examples: 4000, epochs: 1 },
} as const;

export const models = {
  // Its table of words is half of it and costs half the time: left as it is.
  'minilm-l6': { source: 'models/minilm-l6', rate: 1e-4, frozen: 'embeddings.word_embeddings.weight' },
  'bert-mini': { source: 'bundled:bert-mini', rate: 3e-4, frozen: '' },
  'gpt2-mini': { source: 'bundled:gpt2-mini', rate: 3e-4, frozen: '' },
} as const;

export type TaskName = keyof typeof tasks;
export type ModelName = keyof typeof models;

export const batchSize = 32;

export type Mechanism = Protection['mechanism'];

export interface Level {
  readonly mechanism: Mechanism;
  /** The cosine, σ or κ; 0 for none. */
  readonly level: number;
}

const grids: Readonly<Record<Mechanism, readonly number[]>> = {
  none: [0],
  cosine: [0.9, 0.7, 0.5, 0.3, 0.1, 0.01],
  gaussian: [1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 1e-1],
  directional: [1e10, 1e8, 1e7, 1e6, 1e5, 3e4, 1e4],
};

export const levels: readonly Level[] = Object.entries(grids).flatMap(([mechanism, grid]) =>
  grid.map((level) => ({ mechanism: mechanism as Mechanism, level })),
);

export function protectionAt({ mechanism, level }: Level): Protection {
  const scope = 'joint';
  switch (mechanism) {
    case 'none':
      return { mechanism };
    case 'cosine':
      return { mechanism, cosine: level };
    case 'gaussian':
      return { mechanism, scope, clipping: 'clip', clipNorm: 1, noiseMultiplier: level };
    case 'directional':
      return { mechanism, scope, concentration: level };
  }
}
