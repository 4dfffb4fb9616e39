// What `epsilens score` prints: one line per score, with its meaning.

import type { MeanWithInterval, ScoreName, TextScores } from '../metrics/index.js';
import { hang } from './wrap.js';

const meanings: Readonly<Record<ScoreName, string>> = {
  lcsRatio: 'words in the same order, as a share of the longer text',
  rougeL: 'words in the same order, F1',
  rouge1: 'words, F1',
  rouge2: 'pairs of neighbouring words, F1',
  jaccard: 'distinct words in both texts, as a share of all',
  meteor: 'words, stems and synonyms, with a penalty for order',
  meteorNltk: 'the variant of METEOR that NLTK computes',
  editSimilarity: 'characters, in order',
  wordSimilarity: 'characters of the best-fitting words, in any order',
  exactMatch: 'the whole text',
  factsRecovered: 'names and numbers',
  cosine: 'meaning, by sentence vectors',
};

const names = Object.keys(meanings) as ScoreName[];

export function describeScores(scores: TextScores): string {
  const lines = names.flatMap((name) => {
    const score = scores[name];
    return score === undefined ? [] : hang(`${name.padEnd(16)}${write(score)}   `, meanings[name]);
  });
  return `${lines.join('\n')}\n`;
}

type Summary = Readonly<Partial<Record<ScoreName, MeanWithInterval>>>;

export function describeFileScores(summary: Summary, pairs: number): string {
  const lines = names.flatMap((name) => {
    const score = summary[name];
    if (score === undefined) return [];
    const fewer = score.count === pairs ? '' : ` (${score.count} texts have any)`;
    const interval = `${write(score.lower)} to ${write(score.upper)}`;
    return hang(`${name.padEnd(16)}${write(score.mean)}   ${interval}   `, `${meanings[name]}${fewer}`);
  });
  const head = `${'score'.padEnd(16)}${'mean'.padStart(6)}   ${'95 % interval'.padEnd(16)}   of ${pairs} pair${pairs === 1 ? '' : 's'}`;
  return `${[head, ...lines].join('\n')}\n`;
}

const write = (number: number): string => number.toFixed(4).padStart(6);
