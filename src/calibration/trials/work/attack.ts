// An attack at one noise level, by the same evaluation that the command line uses.

import { join } from 'node:path';
import {
  type AttackedBatch,
  addPriorTexts,
  evaluateCandidates,
  findAttack,
  type GradientAttack,
  type LossAttack,
  planReconstruction,
  recoverSentences,
  sampledTexts,
  sampleSentences,
  scoreSentences,
  tokensAround,
  truthOfLogits,
  type WorldAttack,
} from '../../../attacks/index.js';
import { ArgumentError, messageOf, type OptionWord, readOptions, renameOptions, say } from '../../../checks/index.js';
import { expectWordNet, openLexicon } from '../../../metrics/index.js';
import { expectSentenceEncoder, openSafetensors, readTensor } from '../../../models/index.js';
import { seededSource } from '../../../random/index.js';
import type { StudyInputs } from '../../study/inputs.js';
import type { Outcome } from '../store.js';
import { type GradientTrial, type LossTrial, noiseSeed, type Trial, type WorldTrial } from '../trial.js';
import { writeRanks } from './ranks.js';
import { writeRecovered } from './recovered.js';
import { rocDetails } from './roc-details.js';
import { planWorld, tellByModels } from './tell-by-models.js';
import { detailsOfTexts, measurementsOf, measureText } from './text-measurements.js';
import { trainedFile } from './train.js';
import type { Work, WorkContext } from './work.js';

export const attack: Work<'attack'> = (trial, context) => {
  const { settings } = trial;
  const found = findAttack(settings.attack);
  if (found.sees === 'gradient') return reconstruct(found, settings as GradientTrial, context);
  if (found.sees === 'losses') return tellMembers(found, settings as LossTrial, trial.needs, context);
  return tellByModels(found, settings as WorldTrial, context);
};

async function reconstruct(
  found: GradientAttack,
  trial: GradientTrial,
  { inputs, folder, encoder, kept }: WorkContext,
): Promise<Outcome> {
  const { drawn, ...task } = reconstructionTask(found, inputs, trial);
  const reconstruction = await kept.reconstructions.open({
    ...task,
    protection: trial.protection,
    seed: trial.seed,
    noise: (batch) => seededSource(noiseSeed(trial, `${found.name} ${batch}`)),
  });
  const { batches, server } = reconstruction;
  const attacked: AttackedBatch[] = [];
  try {
    for (const batch of batches.keys()) attacked.push(await reconstruction.attackBatch(batch));
  } finally {
    await reconstruction.close();
  }
  const { tokenizer } = task.model;
  const truths = task.examples.inputIds;
  const around = tokensAround(tokenizer);
  const recovered = recoverSentences(tokenizer, truths, batches, attacked);
  const sentences = addPriorTexts(recovered, truths, tokenizer, server.judge);
  const open = await encoder();
  const scored = await scoreSentences(sentences, { lexicon: openLexicon(), embed: (texts) => open.embed(texts) });
  const originals = sampledTexts(...drawn);
  await writeRecovered(
    folder,
    sentences.map((one) => ({ ...one, original: originals[one.index] as string })),
  );
  return {
    measurements: scored.flatMap((one, item) => {
      const batch = attacked[Math.floor(item / task.batchSize)];
      return measurementsOf(item, measureText(found, one, around, batch));
    }),
    details: { ...server.about?.data, ...detailsOfTexts(found, sentences, around, attacked) },
  };
}

/** The attack, model and sentences of a trial: the same at every level. */
function reconstructionTask(found: GradientAttack, inputs: StudyInputs, trial: GradientTrial) {
  const { count = 0, batchSize = found.batchSize, maxTokens = 0, loss, genie, ...options } = trial.settings;
  const { model, dataSet } = inputs;
  const drawn = [model, dataSet.splits.train ?? [], { count, maxTokens, seed: trial.seed }] as const;
  return {
    drawn,
    attack: found,
    options: readOptions(found.options, options),
    model,
    examples: sampleSentences(...drawn),
    batchSize,
    shared: trial.shared,
    ...(loss !== undefined && { loss }),
    ...(genie !== undefined && { genie }),
  };
}

async function tellMembers(
  found: LossAttack,
  { seed, settings }: LossTrial,
  needs: Trial['needs'],
  { inputs, folder, folderOf, kept }: WorkContext,
): Promise<Outcome> {
  const file = await openSafetensors(join(folderOf(needs[0] as string), trainedFile));
  const parameters: Record<string, Float32Array> = {};
  for (const name of inputs.trainable.names) parameters[name] = await readTensor(file, name);
  const said = async (part: 'train' | 'outsiders') => ({
    logits: await kept.classifiers.logits(inputs, part, seed, parameters),
    labels: inputs[part].labels,
  });
  const sides = { members: await said('train'), others: await said('outsiders') };
  const { result, ranks } = evaluateCandidates({
    attack: found,
    options: readOptions(found.options, settings),
    truth: truthOfLogits(sides, inputs.model.config.numLabels),
    random: seededSource(seed).stream('membership'),
    resamples: 100,
  });
  // The training data are the first of the records.
  await writeRanks(folder, inputs, [...inputs.train.labels.keys()], ranks);
  const { auc, advantage, tprAt1, tprAt01, lossGap, floor } = result;
  const figures = Object.entries({ auc, advantage, tprAt1, tprAt01, lossGap });
  const measured: readonly (readonly [string, number])[] = [
    ...figures.map(([name, { value }]) => [name, value] as const),
    ['aucLower', auc.lower],
    ['aucUpper', auc.upper],
    ['floor', floor.auc],
  ];
  const kind = inputs.kind();
  return {
    measurements: measured.map(([name, value]) => ({ item: 0, name, value })),
    details: { ...(kind && { kind }), ...rocDetails(result), ...(inputs.drawnAlike && { drawnAlike: true }) },
  };
}

/** Refuses attacks that this model, its data or a missing package do not allow, before anything runs. */
export function checkAttacks(trials: readonly Trial[], inputs: StudyInputs): void {
  const checked = new Set<string>();
  for (const { kind, settings } of trials) {
    if (kind !== 'attack' || settings.sees === 'losses' || checked.has(settings.attack)) continue;
    // All levels attack the same texts, so checking the first is enough.
    checked.add(settings.attack);
    if (settings.sees === 'gradient') {
      expectWordNet();
      expectSentenceEncoder();
    }
    const found = findAttack(settings.attack);
    try {
      if (settings.sees === 'models') planWorld(found as WorldAttack, settings, inputs);
      else planReconstruction(reconstructionTask(found as GradientAttack, inputs, settings));
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      const said = renameOptions(messageOf(error), (word) => keyOf(settings.attack, word));
      throw new ArgumentError(say`invalid attacks.${settings.attack}: ${said}`);
    }
  }
}

/** The key of a study that holds an option of an attack. */
const keyOf = (attack: string, word: OptionWord): OptionWord => ({
  ...word,
  option: word.option === 'shared' ? 'sharing.parameters' : `attacks.${attack}.${word.option}`,
});
