// The models that can be loaded, by the `model_type` of their config.json.

import { FileError } from '../checks/index.js';
import type { Architecture } from './architecture.js';
import { bert } from './bert.js';
import type { RawConfig } from './config.js';
import { distilbert } from './distilbert.js';
import { gpt2 } from './gpt2.js';
import { camembert, roberta, xlmRoberta } from './roberta.js';

const architectures: Readonly<Record<string, Architecture>> = {
  bert,
  roberta,
  'xlm-roberta': xlmRoberta,
  camembert,
  distilbert,
  gpt2,
};

/** Finds the architecture that config.json names. */
export function findArchitecture(config: RawConfig): Architecture {
  const type = config.model_type;
  const found = typeof type === 'string' && Object.hasOwn(architectures, type) ? architectures[type] : undefined;
  if (found === undefined) {
    const names = Object.keys(architectures);
    const known = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    throw new FileError(`config.json: model_type: expected ${known}, got ${JSON.stringify(type)}`);
  }
  return found;
}
