// Names under which people look for a command, because other tools use them.

const synonyms: Readonly<Record<string, string>> = {
  predict: 'classify',
  infer: 'classify',
  inference: 'classify',
  evaluate: 'classify --data',
  eval: 'classify --data',
  finetune: 'train',
  'fine-tune': 'train',
  fit: 'train',
  audit: 'attack',
  invert: 'attack',
  membership: 'attack membership',
  span: 'attack span',
  likelihood: 'attack likelihood',
  decepticons: 'attack decepticons',
  epsilon: 'account',
  accountant: 'account',
  budget: 'account',
  study: 'calibrate',
  run: 'calibrate',
  results: 'show',
  list: 'studies',
  metrics: 'score',
  dataset: 'data',
  check: 'doctor',
  info: 'doctor',
  env: 'doctor',
  download: 'models pull',
  pull: 'models pull',
  model: 'models',
};

/** The command that was probably meant by another tool's name for it. */
export const commandMeant = (name: string): string | undefined =>
  Object.hasOwn(synonyms, name) ? synonyms[name] : undefined;
