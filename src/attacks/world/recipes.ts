/**
 * Settings of training by name. `overfit` learns few examples by heart, as in the experiments on which such attacks succeed. `paper` is the longest that
 * Faustini et al. train for utility (GPT-2 on CoLA, their table 5); they do not say how they overfit.
 */
export const worldRecipes = {
  overfit: { epochs: 60, batchSize: 8, learningRate: 1e-3 },
  paper: { epochs: 30, batchSize: 128, learningRate: 3e-4 },
  usual: { epochs: 5, batchSize: 32, learningRate: 1e-3 },
} as const;

/** The name of a recipe. */
export type WorldRecipe = keyof typeof worldRecipes;
