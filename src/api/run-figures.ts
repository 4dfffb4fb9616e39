// The figures of a training run.

import type { Plan } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import type { PrivacyResult, TrainResult } from '../training/index.js';

/** Scores, guarantee and train–test gap of a run. */
export function figuresOf({ finished, steps, cached, privacy, train, validation, test }: TrainResult, plan: Plan) {
  const other = test ?? validation;
  return {
    privacy,
    private: isPrivate(privacy),
    plan,
    scores: { train, ...(validation && { validation }), ...(test && { test }) },
    ...(other && { trainTestGap: train.accuracy - other.accuracy }),
    steps,
    finished,
    cachedFeatures: cached,
  };
}

const isPrivate = ({ guarantee, insecure }: PrivacyResult): boolean =>
  guarantee !== undefined && !insecure && Number.isFinite(guarantee.epsilon) && guarantee.bound !== 'approximate';

/** How many numbers these parameters hold. */
export const countNumbers = ({ parameters }: Pick<Model, 'parameters'>, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (parameters.get(name)?.shape ?? []).reduce((size, one) => size * one, 1), 0);
