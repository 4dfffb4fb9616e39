// RoBERTa (Liu et al. 2019), XLM-RoBERTa and CamemBERT: BERT's body with positions that begin after the padding token's id, a
// classifier of two maps in place of the pooler, and a head of masked tokens with other names.

import { FileError } from '../checks/index.js';
import { tanh } from '../engine/index.js';
import type { Architecture } from './architecture.js';
import { type BertConfig, bertBody, type EncoderNames, openEncoder, readBertDropout, readBertSizes } from './bert.js';
import { expectValue, type RawConfig, readCount } from './config.js';
import { linearLayout, normLayout } from './layout.js';

/** RoBERTa's sizes, and the id of its padding token. */
interface RobertaConfig extends BertConfig {
  readonly padding: number;
}

function parseRobertaConfig(config: RawConfig, type: string): RobertaConfig {
  expectValue(config, 'model_type', type);
  const padding = readPadding(config);
  const rows = readCount(config, 'max_position_embeddings');
  const positions = rows - padding - 1;
  if (positions < 1) {
    throw new FileError(
      `config.json: max_position_embeddings: expected more than pad_token_id + 1, where positions begin, got ${rows} with pad_token_id ${padding}`,
    );
  }
  return { ...readBertSizes(config), positions, padding };
}

/** Counts from 0, unlike sizes. */
function readPadding({ pad_token_id: padding = 1 }: RawConfig): number {
  if (Number.isSafeInteger(padding) && (padding as number) >= 0) return padding as number;
  throw new FileError(`config.json: pad_token_id: expected a whole number from 0, got ${JSON.stringify(padding)}`);
}

const linear = (name: string) => linearLayout(name, { transposed: true });

const robertaNames = (padding: number): EncoderNames => ({
  ...bertBody(padding + 1),
  summary: linear('classifier.dense'),
  activation: tanh,
  classifier: linear('classifier.out_proj'),
  dropsSummary: true,
  transform: linear('lm_head.dense'),
  transformNorm: normLayout('lm_head.layer_norm'),
  decoderBias: 'lm_head.bias',
});

const robertaOf = (type: string, className: string): Architecture => ({
  prefix: 'roberta.',
  unprefixed: /^(classifier|lm_head)\./,
  optional: /^classifier\./,
  selections: {
    head: /^classifier\.(out_proj|weight|bias)/,
    'pooler+classifier': /^classifier\./,
  },
  classNames: {
    classification: `${className}ForSequenceClassification`,
    tokens: `${className}ForTokenClassification`,
  },
  readDropout: readBertDropout,
  open: (raw) => {
    const config = parseRobertaConfig(raw, type);
    return { ...openEncoder(raw, config, robertaNames(config.padding)), padding: config.padding };
  },
});

/** RoBERTa as `loadModel` knows it. */
export const roberta = robertaOf('roberta', 'Roberta');
/** The same graph with a vocabulary of many languages. */
export const xlmRoberta = robertaOf('xlm-roberta', 'XLMRoberta');
/** The same graph with a French vocabulary. */
export const camembert = robertaOf('camembert', 'Camembert');
