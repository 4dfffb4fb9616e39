/** Settings of training by name. `overfit` learns few examples by heart, as in the experiments on which such attacks succeed. */
export const worldRecipes = {
  overfit: { epochs: 60, batchSize: 8, learningRate: 1e-3 },
  usual: { epochs: 5, batchSize: 32, learningRate: 1e-3 },
} as const;

/** The name of a recipe. */
export type WorldRecipe = keyof typeof worldRecipes;
