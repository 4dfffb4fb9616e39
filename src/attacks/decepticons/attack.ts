// Decepticons as a descriptor: what a malicious server sends, and what it reads from the answer.

import type { GradientAttack } from '../attack.js';
import { type AttackedModel, tokensAround } from '../model.js';
import { decepticonsAttack, decepticonsParameters } from './decepticons.js';
import { clientLosses } from './losses.js';
import { type Malicious, maliciousParameters } from './parameters.js';
import { settingsFor } from './settings.js';

const options = {
  attacker: {
    type: 'choice',
    choices: ['noise-aware', 'published'],
    default: 'noise-aware',
    help: 'the form that expects clipping and noise, or the published one',
  },
} as const;

export const decepticons: GradientAttack<typeof options> = {
  name: 'decepticons',
  sees: 'gradient',
  goal: 'reconstruction',
  server: 'malicious',
  words: {
    label: 'Decepticons',
    help: 'a malicious server sets parameters so that the gradients of a batch give its sentences away',
    definition:
      'A malicious server sends parameters of its own making, so that the gradient of a whole batch shows single tokens.',
    reference: 'Fowl et al. 2023; the form that works under noise is ours',
  },
  options,
  measure: { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] },
  batchSize: 8,
  shares: 'all',
  losses: ({ model }) => clientLosses(model),
  check: ({ model, options: { attacker } }) => {
    settingsFor(model, attacker, {});
  },
  open: async ({ model, options: { attacker }, loss, random }) => {
    const around = tokensAround(model.tokenizer);
    const malicious = await maliciousParameters(model, {
      attacker,
      // A first token that is the same in every sentence cannot serve as a key.
      keyPosition: around.before.length,
      // Where few tokens have a loss, the last block must spread it.
      ...((loss === 'class' || loss === 'masked') && { equalise: true }),
      random,
    });
    const known = { around, tokens: model.tokenizer.size };
    return {
      reads: decepticonsParameters(model, malicious),
      parameters: malicious.parameters,
      run: async (view) => {
        const { sentences, confidence, rows } = decepticonsAttack(view, malicious, known);
        return { sentences, confidence, figures: { rows } };
      },
      about: { lines: describeServer(model, malicious), data: serverData(model, malicious) },
      close: async () => {},
    };
  },
};

const serverData = (model: AttackedModel, { parameters, settings, thresholds, changes }: Malicious) => ({
  changed: Object.keys(parameters).length,
  tensors: model.parameters.size,
  settings,
  feedForwards: thresholds.length,
  thresholds: thresholdCount(thresholds),
  changes,
});

/** Two feed-forwards share the threshold between them. */
const thresholdCount = (thresholds: Malicious['thresholds']): number =>
  thresholds.reduce((sum, { length }) => sum + length - 1, 1);

function describeServer(model: AttackedModel, { parameters, settings, thresholds }: Malicious): string[] {
  const { length: feedForwards } = thresholds;
  const tables = settings.redrawn
    ? 'word and position tables drawn anew'
    : 'word and position tables kept but for the key';
  return [
    `The server set ${Object.keys(parameters).length} of ${model.parameters.size} tensors: ${tables}; all tokens attend to position ${settings.keyPosition}, the key of their sentence;`,
    `  one measurement in all rows of ${feedForwards} feed-forward${feedForwards === 1 ? '' : 's'}, ${thresholdCount(thresholds).toLocaleString('en')} thresholds in their biases. --json has every change in words.`,
  ];
}
