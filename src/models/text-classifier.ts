// Classifying texts with a trained model: label and probabilities per text.

import { ArgumentError, expectTexts, positiveInteger } from '../checks/index.js';
import type { Model } from './model.js';
import { type ClassifyOptions, type ClassScores, classNames, openPredictor, scoreClasses } from './predictor.js';

/** The class that a model predicts for one text. */
export interface Prediction extends ClassScores {
  /** Whether the text was longer than the model was allowed to read, so that its end did not count. */
  readonly truncated: boolean;
}

/** A trained model that classifies texts; compiled programs are cached between calls. */
export interface TextClassifier {
  readonly classes: readonly string[];
  /** In the order of the texts. Calls run one after the other. */
  readonly classify: (texts: readonly string[], options?: ClassifyOptions) => Promise<Prediction[]>;
  /** Frees the compiled programs; the next call compiles them again. */
  readonly close: () => Promise<void>;
}

/** Classifies texts with a model that has a trained classifier; a classifier that started at random is refused. */
export function openTextClassifier(model: Model, classes: readonly string[] = classNames(model)): TextClassifier {
  const predictor = openPredictor(model, 'classification');
  return {
    classes,
    classify: async (texts, options = {}) => {
      expectTexts({ texts });
      const { maxTokens = 128 } = options;
      positiveInteger({ maxTokens });
      const most = Math.min(maxTokens, model.config.positions);
      const encoded = texts.map((text, index) => encode(model, text, index, most));
      const predictions: Prediction[] = [];
      const inputIds = encoded.map(({ ids }) => ids);
      const keep = (logits: Float32Array, row: number) => {
        predictions[row] = { ...scoreClasses(logits, classes), truncated: encoded[row]?.truncated ?? false };
      };
      await predictor.run(inputIds, most, keep, options);
      return predictions;
    },
    close: predictor.close,
  };
}

interface EncodedText {
  readonly ids: readonly number[];
  readonly truncated: boolean;
}

function encode({ tokenizer }: Model, text: string, index: number, most: number): EncodedText {
  const ids = tokenizer.encode(text, { maxTokens: most + 1 });
  if (ids.length === 0) throw new ArgumentError(`text ${index + 1}: expected at least one token, got none`);
  if (ids.length <= most) return { ids, truncated: false };
  return { ids: tokenizer.encode(text, { maxTokens: most }), truncated: true };
}
