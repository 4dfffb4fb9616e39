// Labelling the words of texts with a trained token classifier. A text is split at white space, and a word has the label of its first
// token, as in training by the usual scripts.

import { ArgumentError } from '../checks/index.js';
import type { Tokenizer } from '../data/index.js';
import type { Model } from './model.js';
import {
  type ClassifyOptions,
  type ClassScores,
  classNames,
  openPredictor,
  predictTexts,
  scoreClasses,
} from './predictor.js';

/** The label that a model predicts for one word. */
export interface WordPrediction extends ClassScores {
  /** The word as the text has it. */
  readonly word: string;
}

/** The labels of one text. */
export interface TextLabels {
  /** In the order of the text, those that the model has read; words that the tokenizer removes entirely are left out. */
  readonly words: readonly WordPrediction[];
  /** Whether the text was longer than the model was allowed to read, so that its end has no labels. */
  readonly truncated: boolean;
}

/** A trained model that labels words; compiled programs are cached between calls. */
export interface TokenClassifier {
  readonly classes: readonly string[];
  /** In the order of the texts. Calls run one after the other. */
  readonly classify: (texts: readonly string[], options?: ClassifyOptions) => Promise<TextLabels[]>;
  /** Frees the compiled programs; the next call compiles them again. */
  readonly close: () => Promise<void>;
}

/** Labels words with a model that has a trained token classifier; a classifier that started at random is refused. */
export function openTokenClassifier(model: Model, classes: readonly string[] = classNames(model)): TokenClassifier {
  const predictor = openPredictor(model, 'tokens');
  return {
    classes,
    classify: (texts, options = {}) =>
      predictTexts(predictor, model, texts, options, {
        encode: (text, index, most) => encodeWords(model.tokenizer, text, index, most),
        resultOf: (logits, { words, truncated }): TextLabels => {
          const scoresAt = (place: number) =>
            scoreClasses(logits.subarray(place * classes.length, (place + 1) * classes.length), classes);
          return { words: words.map(({ word, place }) => ({ word, ...scoresAt(place) })), truncated };
        },
      }),
    close: predictor.close,
  };
}

interface EncodedWords {
  readonly ids: readonly number[];
  /** Each word with the place of its first token. */
  readonly words: readonly { readonly word: string; readonly place: number }[];
  readonly truncated: boolean;
}

/** Encodes word by word, each with the space before it, so that it is known which tokens belong to which word. */
function encodeWords({ encode, around }: Tokenizer, text: string, index: number, most: number): EncodedWords {
  const { before, after } = around;
  const room = most - before.length - after.length;
  if (room < 1) throw new ArgumentError(`expected room for at least one token of a text, got ${most} tokens in all`);
  const pieces: number[] = [];
  const words: { word: string; place: number }[] = [];
  for (const [place, word] of text.split(/\s+/u).filter(Boolean).entries()) {
    const own = encode(place === 0 ? word : ` ${word}`, { special: false });
    if (own.length > 0 && pieces.length < room) words.push({ word, place: before.length + pieces.length });
    pieces.push(...own);
    if (pieces.length > room) break;
  }
  if (words.length === 0) throw new ArgumentError(`text ${index + 1}: expected at least one word, got none`);
  return { ids: [...before, ...pieces.slice(0, room), ...after], words, truncated: pieces.length > room };
}
