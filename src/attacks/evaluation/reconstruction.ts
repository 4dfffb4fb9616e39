// The one evaluation of attacks that read text from shared gradients, for the command line, studies and benchmarks alike: a client
// shares the protected gradient of each batch, and the attack reads it. What it found is then matched with the truth and scored.

import { ArgumentError, type OptionValues, option, say } from '../../checks/index.js';
import type { Protection } from '../../mechanisms/index.js';
import { selectParameters } from '../../models/index.js';
import { integerBelow, type RandomSource, seededSource } from '../../random/index.js';
import type { LabelledExamples } from '../../training/index.js';
import type { GradientAttack, OpenGradientAttack } from '../attack.js';
import { type Client, type ClientOptions, openClient } from '../client.js';
import { type ClientLoss, type ClientLossName, hideTokens } from '../client-loss.js';
import type { SharedCosine } from '../cosines.js';
import { type AttackedModel, isWholeModel } from '../model.js';
import { expectGenie, type GenieTally } from './genie.js';
import { type JudgeRound, judgeFor, type SearchLimit } from './limit.js';
import { batchesOf } from './sentences.js';

/** An attack on a client, before anything is protected: what is the same at every noise level. */
export interface ReconstructionTask {
  readonly attack: GradientAttack;
  readonly options: OptionValues<GradientAttack['options']>;
  readonly model: AttackedModel;
  readonly examples: LabelledExamples;
  /** Sentences per batch. Default: that of the attack, or all sentences if there are fewer. */
  readonly batchSize?: number;
  /** The loss that the client trains on. Default: that of the attack. */
  readonly loss?: string;
  /** Which gradients are shared: `read` (those that the attack reads), `all`, or a selection. Default: that of the attack. */
  readonly shared?: string;
  /** Places per text at which a genie must tell the true token from others. Default: 0, no genie. */
  readonly genie?: number;
  /** Seeds the server's parameters, the choice of hidden tokens and the genie's games. */
  readonly seed: number;
}

/** How the gradient of each batch is protected. */
interface BatchProtection {
  readonly protection: Protection;
  /** The random source of a batch's noise. */
  readonly noise: (batch: number) => RandomSource;
}

/** An attack on a client, batch by batch. */
export interface ReconstructionOptions extends ReconstructionTask, BatchProtection {}

/** One attacked batch as plain data, from which a run can be matched, scored and resumed. */
export interface AttackedBatch {
  readonly batch: number;
  /** Token ids of the recovered sentences, in the attack's order. */
  readonly guesses: readonly (readonly number[])[];
  /** How sure the attack is of each token of its guesses. */
  readonly confidence: readonly (readonly number[])[];
  /** Truth and answer by the attack's own objective, if it has one and the batch is one sentence. */
  readonly limit?: SearchLimit;
  /** How a genie did on the same gradient, if it was asked. */
  readonly genie?: GenieTally;
  /** Limits that the attack reached, one sentence each. */
  readonly notes?: readonly string[];
  readonly cosine: SharedCosine;
  readonly figures: Readonly<Record<string, number>>;
  readonly seconds: { readonly client: number; readonly attack: number };
}

/** What is known of an open client and server. */
interface PartiesAbout {
  /** Indices of the sentences of each batch. */
  readonly batches: readonly (readonly number[])[];
  readonly batchSize: number;
  readonly loss: ClientLossName;
  /** How much is shared, and the names of the tensors that the attack reads. */
  readonly shared: { readonly tensors: number; readonly numbers: number; readonly read: readonly string[] };
  readonly server: OpenGradientAttack;
}

/** Attacks on the batches of a client whose gradients are protected. */
interface Rounds {
  /** Attacks one batch; `onShared` is called when the client has shared its gradient. */
  readonly attackBatch: (batch: number, onShared?: () => void) => Promise<AttackedBatch>;
  /** Attacks sentences of random words as long as those of a batch. What comes back is unrelated to the batch: its score is the floor. */
  readonly attackRandomWords: (batch: number) => Promise<AttackedBatch>;
}

/** An open attack on a client; close it when done. */
export interface Reconstruction extends PartiesAbout, Rounds {
  readonly close: () => Promise<void>;
}

/** A client and an attacking server, open for any number of protections; close them when done. */
export interface Parties extends PartiesAbout {
  readonly under: (options: BatchProtection & Pick<ReconstructionTask, 'genie'>) => Rounds;
  readonly close: () => Promise<void>;
}

/** Decides batches, loss and shared parameters before anything is computed. Throws an ArgumentError if the attack is not possible. */
export function planReconstruction(options: Omit<ReconstructionTask, 'seed'>) {
  const { attack, model, examples } = options;
  const sentences = examples.inputIds.length;
  const batchSize = options.batchSize ?? Math.min(attack.batchSize, sentences);
  const batches = batchesOf(sentences, batchSize);
  const setting = { model, options: options.options, batchSize };
  const loss = chooseLoss(attack, setting, options.loss);
  const selection = options.shared ?? attack.shares;
  const shared = selection === 'read' ? undefined : selectShared(model, selection, loss);
  attack.check(setting, shared);
  expectGenie(attack, batchSize, options.genie);
  return { batchSize, batches, loss, shared };
}

export async function openReconstruction(options: ReconstructionOptions): Promise<Reconstruction> {
  const { under, ...parties } = await openParties(options);
  return { ...parties, ...under(options) };
}

/**
 * Opens client and server. With `keep`, which is the client's, they are made for many protections: the true gradients of sentences
 * are kept as far as it allows, and the array of a shared gradient is used again once the server has read it.
 */
export async function openParties(options: ReconstructionTask, keep?: ClientOptions['keep']): Promise<Parties> {
  const { attack, model, examples, seed } = options;
  const { batchSize, batches, loss, shared: chosen } = planReconstruction(options);
  const longest = examples.inputIds.reduce((most, { length }) => Math.max(most, length), 1);
  const random = seededSource(seed).stream('server');
  const known = { model, options: options.options, batchSize, longest, loss, ...(chosen && { shared: chosen }) };
  const server = await attack.open({ ...known, random });
  const shared = chosen ?? server.reads;
  const open = (data: LabelledExamples, more: Pick<ClientOptions, 'keep'> = {}) =>
    openClient({
      model,
      data,
      shared,
      loss: lossOf(loss, data, batches, options),
      ...(server.parameters && { parameters: server.parameters }),
      ...more,
    });
  const client = await open(examples, { ...(keep && { keep }) });
  const numbers = shared.reduce((sum, name) => sum + sizeOf(model, name), 0);
  const spare = spareArrays(numbers, keep !== undefined);
  return {
    batches,
    batchSize,
    loss,
    shared: { tensors: shared.length, numbers, read: server.reads },
    server,
    under: ({ protection, noise, genie = 0 }) => {
      const round = { attack, options: options.options, protection, server, batches, spare };
      // Only single sentences can be judged.
      const judge =
        batchSize === 1 ? judgeFor(server, { ...model, truths: examples.inputIds, genie, seed }) : undefined;
      return {
        attackBatch: (batch, onShared) => attackRound(round, client, batch, { noise: noise(batch), onShared, judge }),
        attackRandomWords: async (batch) => {
          const words = seededSource(seed).stream('random words');
          const inputIds = examples.inputIds.map((ids) => randomWords(model, ids, words));
          const other = await open({ inputIds, labels: examples.labels });
          try {
            return await attackRound(round, other, batch, { noise: seededSource(seed).stream('noise of the floor') });
          } finally {
            await other.close();
          }
        },
      };
    },
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}

type Round = Pick<ReconstructionOptions, 'attack' | 'options' | 'protection'> &
  Pick<Parties, 'server' | 'batches'> & { readonly spare: SpareArrays };

interface RoundContext {
  readonly noise: RandomSource;
  readonly onShared?: (() => void) | undefined;
  readonly judge?: JudgeRound | undefined;
}

async function attackRound(
  { attack, options, protection, server, batches, spare }: Round,
  client: Client,
  batch: number,
  { noise, onShared, judge }: RoundContext,
): Promise<AttackedBatch> {
  const start = performance.now();
  const hideLengths = attack.hidesLengths?.(options) ?? false;
  const indices = batches[batch] as readonly number[];
  const into = spare.take();
  const { view, cosine } = await client.share(indices, protection, noise, { hideLengths, reads: server.reads, into });
  onShared?.();
  const begin = performance.now();
  const { sentences, confidence, figures = {}, notes = [] } = await server.run(view);
  const end = performance.now();
  const judged = await judge?.(batch, view, sentences[0] ?? []); // before the view's arrays are used again
  spare.giveBack(into);
  const seconds = { client: (begin - start) / 1000, attack: (end - begin) / 1000 };
  return {
    batch,
    guesses: sentences,
    confidence,
    ...judged,
    ...(notes.length > 0 && { notes }),
    cosine,
    figures,
    seconds,
  };
}

/** Arrays for shared gradients: the memory for millions of numbers is slow to get and to free. */
interface SpareArrays {
  readonly take: () => Float32Array;
  readonly giveBack: (array: Float32Array) => void;
}

function spareArrays(numbers: number, reuse: boolean): SpareArrays {
  const spare: Float32Array[] = [];
  return {
    take: () => spare.pop() ?? new Float32Array(numbers),
    giveBack: (array) => void (reuse && spare.push(array)),
  };
}

function chooseLoss(
  attack: GradientAttack,
  setting: Parameters<GradientAttack['losses']>[0],
  wanted: string | undefined,
): ClientLossName {
  const losses = attack.losses(setting);
  const found = wanted === undefined ? losses[0] : losses.find((loss) => loss === wanted);
  if (found !== undefined) return found;
  throw new ArgumentError(
    say`${option('loss')} ${wanted}: expected ${losses.join(' or ')} for ${attack.words.label} on ${setting.model.name}`,
  );
}

function lossOf(
  loss: ClientLossName,
  { inputIds, labels }: LabelledExamples,
  batches: readonly (readonly number[])[],
  { model: { tokenizer }, seed }: Pick<ReconstructionTask, 'model' | 'seed'>,
): ClientLoss {
  if (loss === 'class') return { loss, labels };
  if (loss !== 'masked') return { loss };
  const hidden = batches.map((indices, batch) => {
    const sentences = indices.map((index) => inputIds[index] as readonly number[]);
    return hideTokens(tokenizer, sentences, seededSource(seed).stream(`hidden ${batch}`));
  });
  return { loss, places: hidden.flatMap(({ places }) => places), maskToken: hidden[0]?.maskToken as number };
}

/** Names of the parameters whose gradients a client shares with an attack: its loss decides which head is among them. */
export function sharedWith(
  attack: GradientAttack,
  setting: Parameters<GradientAttack['losses']>[0],
  selection: string,
  loss?: string,
): string[] {
  return selectShared(setting.model, selection, chooseLoss(attack, setting, loss));
}

function selectShared(model: AttackedModel, selection: string, loss: ClientLossName): string[] {
  if (isWholeModel(model)) return selectParameters(model, selection, loss === 'class' ? 'classification' : 'lm');
  if (selection === 'all') return [...model.parameters.keys()];
  throw new ArgumentError(
    say`${option('shared')} ${selection}: expected read or all, the only selections of ${model.name}`,
  );
}

const sizeOf = (model: AttackedModel, name: string): number =>
  (model.parameters.get(name)?.shape ?? []).reduce((product, size) => product * size, 1);

function randomWords({ tokenizer }: AttackedModel, ids: readonly number[], random: RandomSource): number[] {
  const special = new Set<number>(Object.values(tokenizer.special));
  const draw = (): number => {
    const id = integerBelow(random, tokenizer.size);
    return special.has(id) || tokenizer.tokenOf(id) === undefined ? draw() : id;
  };
  return ids.map((id) => (special.has(id) ? id : draw()));
}
