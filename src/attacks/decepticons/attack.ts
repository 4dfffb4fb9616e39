// The descriptor of Decepticons: what a malicious server sends, and what it reads from the gradients that come back.

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
    help: 'the variant that expects clipping and noise, or the published one',
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
      'A malicious server sends parameters of its own making, chosen so that the gradient of a whole batch reveals single tokens.',
    reference: 'Fowl et al. 2023; the variant that works under noise is ours',
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

/** Neighbouring feed-forwards share one threshold. */
const thresholdCount = (thresholds: Malicious['thresholds']): number =>
  thresholds.reduce((sum, { length }) => sum + length - 1, 1);

function describeServer(model: AttackedModel, { parameters, settings, thresholds }: Malicious): string[] {
  const { length: feedForwards } = thresholds;
  const tables = settings.redrawn
    ? 'it redrew the word and position tables'
    : 'it kept the word and position tables, except for the key';
  return [
    `The server set ${Object.keys(parameters).length} of ${model.parameters.size} tensors: ${tables}; all tokens attend to position ${settings.keyPosition}, which becomes the key of their sentence; all rows of ${feedForwards} feed-forward${feedForwards === 1 ? '' : 's'} hold one measurement, and their biases ${thresholdCount(thresholds).toLocaleString('en')} thresholds. --json describes every change.`,
  ];
}
