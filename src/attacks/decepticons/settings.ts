// The two attackers. `published` follows Fowl et al. (2023); `noise-aware` expects that the client clips and adds noise: it makes the
// gradients that it reads outgrow all others, and reads the rows that stand out.

import { ArgumentError, check, positive, positiveInteger, say, setting } from '../../checks/index.js';
import type { ModelCore } from '../../models/index.js';

/** `published` follows the paper; `noise-aware` expects clipping and noise. */
export type Attacker = 'published' | 'noise-aware';

/** All settings of the attack. Their defaults follow from the attacker and the model. */
export interface Settings {
  readonly attacker: Attacker;
  /** Number of coordinates that hold the key of a sentence; two such groups must fit into a head. */
  readonly keyLength: number;
  /** Position of the token whose embedding becomes the key of its sentence. It must not be a token that all sentences share. */
  readonly keyPosition: number;
  /** Sharpness of the attention to that token. */
  readonly skew: number;
  /** Weight by which each unit of a feed-forward passes on its output, times the model's width. */
  readonly eps: number;
  /** Sharpness of the units: how much ⟨m, u⟩ is magnified. */
  readonly scale: number;
  /** Gain of the layer norms before the feed-forwards: it multiplies the gradients that are read, and no others. */
  readonly gain: number;
  /** Redraw the word and position tables. */
  readonly redrawn: boolean;
  /** Standard deviation of redrawn tables. */
  readonly deviation: number;
  /** Remove from all other tokens and positions the part along the one that the attention seeks. */
  readonly exclusiveKey: boolean;
  /** Let the last block spread the loss of single tokens over all. Its feed-forward is then not read. */
  readonly equalise: boolean;
  /** Which rows are taken for tokens: those with the smallest or the largest step, or where averages of many rows change most. */
  readonly rows: 'smallest' | 'largest' | 'jumps';
  /** Whether tokens are chosen from those that another gradient gives away, or from the whole vocabulary. */
  readonly tokens: 'leaked' | 'vocabulary';
  /** A leaked token is replaced by the vocabulary's best where this factor times the best's correlation is still larger. */
  readonly replaceBelow: number;
}

type Numbers = Pick<Settings, 'keyLength' | 'eps' | 'scale' | 'redrawn' | 'replaceBelow'>;

/** The settings of the paper, for the models that it attacks. */
const published: Readonly<Record<string, Numbers>> = {
  bert: { keyLength: 32, eps: 1e-8, scale: 1e8, redrawn: true, replaceBelow: 0.25 },
  gpt2: { keyLength: 32, eps: 1e-8, scale: 1e6, redrawn: false, replaceBelow: 0 },
  'relu-transformer': { keyLength: 6, eps: 1e-4, scale: 1, redrawn: false, replaceBelow: 0 },
};

function publishedNumbers({ rawConfig }: ModelCore): Numbers | undefined {
  const type = `${rawConfig.model_type}`;
  return Object.hasOwn(published, type) ? published[type] : undefined;
}

function expectPublished(target: ModelCore): Numbers {
  const numbers = publishedNumbers(target);
  if (numbers !== undefined) return numbers;
  throw new ArgumentError(
    say`${setting('attacker', 'published')}: expected a model of type ${Object.keys(published).join(', ')}, got ${String(target.rawConfig.model_type)}: use ${setting('attacker', 'noise-aware')}`,
  );
}

/** Key length for models that the paper does not attack. */
const usualKey = 32;

/** By what factor the useful gradient outgrows the others. */
const room = 1e3;
/** GELU opens over a width of about 2 / scale, which must be small beside the distance of two thresholds. */
const sharpness = 64;

/**
 * The useful gradient of a token is eps/hidden · gain · g · u for a loss with slope g, the one of the second matrix about scale · g, all others
 * about g. `eps` is such that all units together move the last coordinate by its own size and no more; the gain does the rest. Where
 * the residual itself has the gain (post-norm), eps grows with it and g shrinks by it.
 */
function outgrowing(target: ModelCore, keyLength: number): Omit<Settings, 'keyLength' | 'keyPosition' | 'skew'> {
  const { hidden, intermediateSize: inner, layers } = target.config;
  const { normPlacement, activation, attention } = target.layout;
  const scale = activation === 'relu' ? 1 : sharpness * layers * inner;
  const preNorm = normPlacement === 'pre';
  const gain = room * inner * scale * (preNorm ? scale : 1);
  return {
    attacker: 'noise-aware',
    scale,
    gain,
    eps: ((preNorm ? 1 : gain) * hidden) / (inner * scale),
    redrawn: true,
    // Then words and positions have equal weight.
    deviation: 1 / Math.sqrt(keyLength),
    exclusiveKey: true,
    // Then all tokens have the same slope, and noise hides none sooner than the others.
    equalise: attention === 'bidirectional' && layers > 1,
    rows: 'jumps',
    tokens: 'vocabulary',
    replaceBelow: 0,
  };
}

export function settingsFor(target: ModelCore, attacker: Attacker, changes: Partial<Settings> = {}): Settings {
  check({ attacker }, 'published or noise-aware', (name) => name === 'published' || name === 'noise-aware');
  const { hidden, heads, positions } = target.config;
  // A key has mean 0, so a single number would carry no information.
  check({ 'size of a head': hidden / heads }, 'at least 4, for two keys', (size) => size >= 4);
  const keyLength = Math.min(publishedNumbers(target)?.keyLength ?? usualKey, Math.floor(hidden / heads / 2));
  const own = {
    gain: 1,
    deviation: 0.02,
    exclusiveKey: false,
    equalise: false,
    rows: 'smallest',
    tokens: 'leaked',
  } as const;
  const base: Settings = {
    ...(attacker === 'published' ? { attacker, ...expectPublished(target), ...own } : outgrowing(target, keyLength)),
    keyLength,
    keyPosition: 0,
    skew: 1e8,
  };
  const settings = { ...base, ...changes };
  const stranger = Object.keys(changes).find((name) => !Object.hasOwn(base, name));
  if (stranger !== undefined)
    throw new ArgumentError(`Decepticons has no setting ${stranger}: expected one of ${Object.keys(base).join(', ')}`);
  checkSettings(settings, hidden / heads, positions);
  refuseIgnored(changes, settings);
  return settings;
}

/** Refuses settings that others make meaningless. */
function refuseIgnored({ deviation, replaceBelow }: Partial<Settings>, { redrawn, tokens }: Settings): void {
  if (deviation !== undefined && !redrawn)
    throw new ArgumentError("deviation: expected redrawn tables, got the model's own: set redrawn, or leave it out");
  if (replaceBelow !== undefined && tokens === 'vocabulary')
    throw new ArgumentError('replaceBelow: expected leaked tokens to replace, got tokens vocabulary: leave it out');
}

function checkSettings(settings: Settings, headSize: number, positions: number): void {
  const { keyLength, keyPosition, skew, eps, scale, gain, deviation } = settings;
  positiveInteger({ keyLength });
  positive({ skew, eps, scale, gain, deviation });
  check({ keyLength }, `at most half a head, ${headSize / 2}`, (value) => 2 * value <= headSize);
  check(
    { keyPosition },
    `one of the model's ${positions} positions`,
    (p) => Number.isInteger(p) && p >= 0 && p < positions,
  );
}
