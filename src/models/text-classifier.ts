// Classifying texts with a trained model: label and probabilities per text.

import { ArgumentError } from '../checks/index.js';
import type { Model } from './model.js';
import {
  type ClassifyOptions,
  type ClassScores,
  classNames,
  openPredictor,
  predictTexts,
  scoreClasses,
} from './predictor.js';

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
    classify: (texts, options = {}) =>
      predictTexts(predictor, model, texts, options, {
        encode: (text, index, most) => encode(model, text, index, most),
        resultOf: (logits, { truncated }): Prediction => ({ ...scoreClasses(logits, classes), truncated }),
      }),
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
