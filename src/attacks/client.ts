// The victim: a client that computes gradients on its own sentences, protects them and shares them. The attacker gets a view; the
// cosine beside it is for measuring only.

import { ArgumentError } from '../checks/index.js';
import { type Protection, protect } from '../mechanisms/index.js';
import type { RandomSource } from '../random/index.js';
import { type Arrays, type LabelledExamples, openClassifier } from '../training/index.js';
import type { ClientLoss } from './client-loss.js';
import { type SharedCosine, sharedCosine } from './cosines.js';
import { openSentenceGradients } from './decepticons/client.js';
import { endToEnd } from './end-to-end.js';
import { type AttackedModel, wholeModel } from './model.js';
import type { GradientView } from './view.js';

/** What a client trains on and shares. */
export interface ClientOptions {
  readonly model: AttackedModel;
  /** The client's sentences. */
  readonly data: LabelledExamples;
  /** Names of the parameters whose gradients are shared. */
  readonly shared: readonly string[];
  /** Parameters that the server sent in place of the model's own. */
  readonly parameters?: Arrays;
  /** The loss that the client trains on. Default: the class of each sentence. */
  readonly loss?: ClientLoss;
  /** Whether there is memory for this many bytes more, to keep the true gradient of a sentence until it is shared again. Default: none. */
  readonly keep?: (bytes: number) => boolean;
}

/** What the view contains, and what is measured beside it. */
export interface ShareOptions {
  /** Keep the lengths of the sentences secret. Default: false. */
  readonly hideLengths?: boolean;
  /** Names of the tensors over which `cosine.read` is taken. Default: all shared tensors. */
  readonly reads?: readonly string[];
  /** An array for the shared gradient, as long as all its tensors together. Default: a new one. */
  readonly into?: Float32Array;
}

/** One shared gradient. */
export interface Shared {
  /** What the attacker sees. */
  readonly view: GradientView;
  /** How close the shared gradient is to the true one; never shown to the attacker. */
  readonly cosine: SharedCosine;
}

/** A client that is ready to share; close it when done. */
export interface Client {
  /** Computes the gradients of the sentences with these indices, protects them and shares their sum. */
  readonly share: (
    indices: readonly number[],
    protection: Protection,
    random: RandomSource,
    options?: ShareOptions,
  ) => Promise<Shared>;
  readonly close: () => Promise<void>;
}

/** Opens a client on its own sentences. Gradients are protected by the rules of training before they are shared. */
export async function openClient(options: ClientOptions): Promise<Client> {
  const { model, data, parameters = {} } = options;
  const source = await openGradients(options);
  const gradientsOf = keeping(source, options.keep);
  return {
    share: async (indices, protection, random, { hideLengths = false, reads, into } = {}) => {
      if (indices.length === 0) throw new ArgumentError('expected at least one sentence to share, got none');
      const examples = await gradientsOf(indices);
      const { gradients, noise, laws } = protect(examples, protection, random, into);
      const lengths = indices.map((index) => (data.inputIds[index] as readonly number[]).length);
      return {
        view: {
          model,
          parameters,
          gradients,
          noise,
          laws,
          batchSize: indices.length,
          ...(!hideLengths && { lengths }),
        },
        cosine: sharedCosine(examples, gradients, reads),
      };
    },
    close: source.close,
  };
}

/** The gradient of each sentence's own loss. */
interface Gradients {
  readonly of: (indices: readonly number[]) => Promise<Arrays[]>;
  readonly close: () => Promise<void>;
}

/** Computes only gradients that were not kept when they were computed before. */
function keeping({ of }: Gradients, keep: ClientOptions['keep'] = () => false): Gradients['of'] {
  const kept = new Map<number, Arrays>();
  return async (indices) => {
    const wanted = [...new Set(indices)].filter((index) => !kept.has(index));
    const computed = wanted.length === 0 ? [] : await of(wanted);
    const found = new Map(computed.map((one, place) => [wanted[place] as number, one]));
    for (const [index, one] of found) {
      const bytes = Object.values(one).reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (!kept.has(index) && keep(bytes)) kept.set(index, one);
    }
    return indices.map((index) => (kept.get(index) ?? found.get(index)) as Arrays);
  };
}

async function openGradients(options: ClientOptions): Promise<Gradients> {
  const { model, data, shared, parameters, loss = { loss: 'class', labels: data.labels } } = options;
  if (loss.loss === 'class' && parameters === undefined) return openClassGradients(options);
  const gradients = await openSentenceGradients(model, parameters ?? {}, shared);
  return {
    of: (indices) => {
      const inputIds = indices.map((index) => data.inputIds[index] as readonly number[]);
      return gradients.of(inputIds, lossAt(loss, indices));
    },
    close: gradients.close,
  };
}

/**
 * Sentences are run one by one, so a batch has one row and filler. A second row costs nothing and makes the products with matrices
 * round as in larger batches: for a single row, ONNX Runtime takes another path.
 */
const rowsAtOnce = 2;

async function openClassGradients({ model: attacked, data, shared }: ClientOptions): Promise<Gradients> {
  const model = wholeModel(attacked);
  const classifier = await openClassifier({ model, trainable: shared, data, microBatchSize: rowsAtOnce });
  const parameters: Record<string, Float32Array> = {};
  for (const name of shared) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
  const examplesOf = async (indices: readonly number[]): Promise<Arrays[]> => {
    const examples: Arrays[] = [];
    for (const index of indices) {
      const { gradients } = await classifier.sums(parameters, [index]);
      // The next call reuses the arrays.
      const copies = endToEnd(gradients, shared);
      for (const name of shared) copies[name]?.set(gradients[name] as Float32Array);
      examples.push(copies);
    }
    return examples;
  };
  // For the same reason, calls wait for each other.
  let last: Promise<unknown> = Promise.resolve();
  return {
    of: (indices) => {
      const found = last.then(() => examplesOf(indices));
      last = found.catch(() => {});
      return found;
    },
    close: () => classifier.close(),
  };
}

/** The loss with the targets of these sentences only. */
function lossAt(loss: ClientLoss, indices: readonly number[]): ClientLoss {
  switch (loss.loss) {
    case 'masked':
      return { ...loss, places: indices.map((index) => loss.places[index] ?? []) };
    case 'class':
      return { ...loss, labels: indices.map((index) => loss.labels[index] as number) };
    default:
      return loss;
  }
}
