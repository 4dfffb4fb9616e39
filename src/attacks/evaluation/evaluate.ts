// A whole reconstruction, from a job to its result: attacks the batches, in several processes if asked to, resumes an interrupted
// run, then computes the floor and the scores.

import { expectWordNet, openLexicon, summarizeScores } from '../../metrics/index.js';
import { expectSentenceEncoder, openSentenceEncoder } from '../../models/index.js';
import { openProcessPool } from '../../platform/index.js';
import { seededSource } from '../../random/index.js';
import type { AttackedModel } from '../model.js';
import { jobSettings, type OpenJob, openJob, type ReconstructionJob } from './job.js';
import { type LikelihoodMeasures, measureLikelihood } from './likelihood-measures.js';
import { addPriorTexts } from './prior-floor.js';
import type { AttackedBatch, Reconstruction } from './reconstruction.js';
import { otherBatches, recoverSentences } from './recovered.js';
import { openResultsFolder, type ResultsFolder } from './results-folder.js';
import { type ScoredSentence, scoreSentences } from './scores.js';
import { recoveryThreshold } from './stands-out.js';
import type { BatchTask } from './worker.js';

/** How a reconstruction job is run; none of it changes the result, except that scores may lack the cosine. */
export interface EvaluationOptions {
  /** The job's model, if it is open already. Default: opened from its name. */
  readonly model?: AttackedModel;
  /** Folder to which results are written batch by batch, and from which an interrupted run resumes. It holds private text. */
  readonly folder?: string;
  /** Number of processes, with one thread each. Default: 1, which works in this process. */
  readonly jobs?: number;
  /** Leave out the cosine of sentence vectors, which needs a sentence encoder. Default: false. */
  readonly withoutSimilarity?: boolean;
  readonly onProgress?: (progress: EvaluationProgress) => void;
  /** Called once, before the first batch. */
  readonly onOpen?: (open: OpenJob) => Promise<void>;
  /** Stops the run after the batch under way. */
  readonly signal?: AbortSignal;
}

/** How far a reconstruction has come, in batches. */
export interface EvaluationProgress {
  readonly done: number;
  readonly all: number;
  readonly stage: 'gradients' | 'attack' | 'floor' | 'scores';
}

/** What an attack recovered, and how much that is. It holds private text. */
export interface ReconstructionResult extends LikelihoodMeasures {
  readonly attack: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly loss: Reconstruction['loss'];
  readonly batchSize: number;
  readonly shared: Reconstruction['shared'];
  /** What a malicious server set, as data. */
  readonly server?: Readonly<Record<string, unknown>>;
  readonly sentences: readonly ScoredSentence[];
  readonly batches: readonly Omit<AttackedBatch, 'guesses' | 'confidence' | 'limit' | 'genie'>[];
  /** Mean of every score over the sentences, with its 95 % interval. */
  readonly summary: ReturnType<typeof summarizeScores>;
  /** Mean of the attack's measure when the gradient comes from unrelated text: the score of finding nothing. */
  readonly floor?: {
    readonly mean: number;
    readonly of: 'another batch' | 'random words';
    /** Mean of what the attack's prior scores without any gradient, if it has one. */
    readonly prior?: number;
    /** A text whose score is not above this counts as not recovered: mean, and twice the standard deviation or 0.1, of the higher floor. */
    readonly threshold: number;
  };
  /** False if the signal stopped the run before its last batch. */
  readonly finished: boolean;
}

/**
 * Runs a reconstruction attack against a client and scores what came back: the same evaluation that the command line and studies
 * use. Equal jobs give equal results, in however many processes they run.
 */
export async function evaluateReconstruction(
  job: ReconstructionJob,
  options: EvaluationOptions = {},
): Promise<ReconstructionResult> {
  expectWordNet();
  if (!options.withoutSimilarity) expectSentenceEncoder();
  const open = await openJob(job, options.model);
  const { reconstruction } = open;
  try {
    const folder = await openResultsFolder<AttackedBatch>(options.folder, jobSettings(job));
    await options.onOpen?.(open);
    const attacked = await attackBatches(job, reconstruction, folder, options);
    const finished = attacked.length === reconstruction.batches.length;
    const result = await scoreResult(job, open, attacked, { ...options, finished });
    await folder.finish(result);
    return result;
  } finally {
    await reconstruction.close();
  }
}

/** Results in the order of the batches; fewer where the signal stopped the run. */
async function attackBatches(
  job: ReconstructionJob,
  { batches, attackBatch }: Reconstruction,
  folder: ResultsFolder<AttackedBatch>,
  { jobs = 1, onProgress, signal }: EvaluationOptions,
): Promise<AttackedBatch[]> {
  const found = new Map(folder.done.map((line) => [line.batch, line]));
  const waiting = [...batches.keys()].filter((batch) => !found.has(batch));
  const show = (stage: EvaluationProgress['stage']) => onProgress?.({ done: found.size, all: batches.length, stage });
  const keep = async (line: AttackedBatch) => {
    found.set(line.batch, line);
    await folder.append(line);
    show('attack');
  };
  if (jobs > 1 && waiting.length > 1) await attackInProcesses(job, waiting, jobs, keep, signal);
  else {
    for (const batch of waiting) {
      if (signal?.aborted) break;
      show('gradients');
      await keep(await attackBatch(batch, () => show('attack')));
    }
  }
  return [...found.values()].sort((a, b) => a.batch - b.batch);
}

async function attackInProcesses(
  job: ReconstructionJob,
  waiting: readonly number[],
  jobs: number,
  keep: (line: AttackedBatch) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const module = new URL('./worker.js', import.meta.url);
  const pool = openProcessPool<BatchTask, AttackedBatch>(module, Math.min(jobs, waiting.length));
  const queue = [...waiting];
  let kept = Promise.resolve();
  const work = async () => {
    for (let batch = queue.shift(); batch !== undefined && !signal?.aborted; batch = queue.shift()) {
      const line = await pool.work({ job, batch });
      kept = kept.then(() => keep(line));
    }
  };
  const stop = () => void pool.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await Promise.all(Array.from({ length: pool.size }, work));
  } catch (error) {
    // Processes stopped on purpose are not a failure.
    if (!signal?.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await pool.close();
    await kept;
  }
}

async function scoreResult(
  job: ReconstructionJob,
  { attack, model, reconstruction }: OpenJob,
  attacked: readonly AttackedBatch[],
  { withoutSimilarity, onProgress, signal, finished }: EvaluationOptions & { readonly finished: boolean },
): Promise<ReconstructionResult> {
  const { batches, batchSize, loss, shared, server } = reconstruction;
  const progress = { done: attacked.length, all: batches.length };
  const alone = attacked.length === 1 && !signal?.aborted;
  if (alone) onProgress?.({ ...progress, stage: 'floor' });
  const others = alone ? [await reconstruction.attackRandomWords(0)] : otherBatches(attacked);
  const recovered = recoverSentences(model.tokenizer, job.examples.inputIds, batches, attacked, others);
  const sentences = addPriorTexts(recovered, job.examples.inputIds, model.tokenizer, server.judge);
  onProgress?.({ ...progress, stage: 'scores' });
  const scored = await score(sentences, withoutSimilarity ?? false);
  const floors = scored.flatMap(({ floor }) => floor ?? []);
  const priorFloors = scored.flatMap(({ priorFloor }) => priorFloor ?? []);
  return {
    attack: attack.name,
    options: job.options,
    model: job.model,
    loss,
    batchSize,
    shared,
    ...(server.about && { server: server.about.data }),
    sentences: scored,
    batches: attacked.map(({ guesses: _, confidence: _c, limit: _l, genie: _g, ...rest }) => rest),
    summary: summarizeScores(
      seededSource(job.seed),
      scored.map(({ scores }) => scores),
    ),
    ...measureLikelihood(attack, model, scored, job.seed),
    ...(floors.length > 0 && {
      floor: {
        mean: meanOf(floors),
        of: alone ? 'random words' : 'another batch',
        ...(priorFloors.length > 0 && { prior: meanOf(priorFloors) }),
        threshold: recoveryThreshold(floors, priorFloors) as number,
      },
    }),
    finished,
  };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

async function score(sentences: Parameters<typeof scoreSentences>[0], plain: boolean): Promise<ScoredSentence[]> {
  const lexicon = openLexicon();
  if (plain || sentences.length === 0) return scoreSentences(sentences, { lexicon });
  const encoder = await openSentenceEncoder();
  try {
    return await scoreSentences(sentences, { lexicon, embed: (texts) => encoder.embed(texts) });
  } finally {
    await encoder.close();
  }
}
