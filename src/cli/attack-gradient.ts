// `epsilens attack NAME` for attacks that read text from shared gradients.

import { type GradientAttackOptions, loadDataSet, runGradientAttack, type SharingMechanism } from '../api/index.js';
import {
  attackGradientFile,
  type EvaluationProgress,
  type GradientAttack,
  type GradientFileResult,
  type OpenJob,
  openAttackedModel,
  storedName,
} from '../attacks/index.js';
import { ArgumentError, readOptions } from '../checks/index.js';
import type { SplitName } from '../data/index.js';
import { writeSafetensors } from '../models/index.js';
import { describeAttack, describeGradientFile, describeReconstruction, wantsColour } from './attack-text.js';
import { type Command, wholeNumber } from './command.js';
import { dataOptions } from './data-options.js';
import { downloadNamed } from './downloads.js';
import { addExamples } from './examples.js';
import { refuseIgnored } from './flag-rules.js';
import { addGradientFileFlags, addSentenceFlags, flagRules, type GradientFlags } from './gradient-flags.js';
import { addOptionFlags, flagOf, optionsAmong } from './option-flags.js';
import { progressLine, stopOnInterrupt } from './progress.js';
import { addProtectionFlags, protectionFrom } from './protection-flags.js';
import { refuseRenamed, renamedFlags } from './renamed-flags.js';
import type { Step } from './time-left.js';

export function addGradientAttack(parent: Command, attack: GradientAttack): void {
  const command = parent.command(attack.name).description(attack.words.help);
  addSentenceFlags(command, attack);
  addOptionFlags(command, attack.options);
  addProtectionFlags(command);
  refuseRenamed(command, renamedFlags.attack);
  if (attack.server === 'curious') addGradientFileFlags(command);
  else command.option('--parameters <file>', 'save the parameters that the server sends, as safetensors');
  command
    .option('--show-guesses', 'print also guesses that do not stand out of the noise')
    .option('--no-similarity', 'leave out the cosine of sentence vectors')
    .option('--jobs <count>', 'number of processes, one core each', wholeNumber(1), 1)
    .option('--out <folder>', 'write results batch by batch to this folder, and resume from them next time')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .addHelpText('after', describeAttack(attack))
    .action((flags: GradientFlags) =>
      flags.gradients === undefined ? attackSentences(attack, flags) : attackFile(attack, flags, flags.gradients),
    );
  refuseIgnored(command, flagRules(attack));
  addExamples(
    command,
    `epsilens attack ${attack.name} --text "meet me at noon"`,
    `epsilens attack ${attack.name} --data bundled:mail --count 8`,
    `epsilens attack ${attack.name} --text "meet me" --mechanism gaussian --noise 1e-3`,
  );
}

async function attackSentences(attack: GradientAttack, flags: GradientFlags): Promise<void> {
  const options = optionsFrom(attack, flags);
  const progress = progressLine(flags.quiet ?? false);
  await downloadNamed({ ...flags, options: [attack.options, { ...options }] }, progress);
  const stop = stopOnInterrupt();
  try {
    progress.show('loading the model …');
    const { data } = flags;
    const source = data === undefined ? {} : { data: await loadDataSet(data, dataOptions(flags)) };
    let opened: OpenJob | undefined;
    const result = await runGradientAttack(
      attack,
      {
        ...options,
        ...source,
        onProgress: (now) => progress.show(describeProgress(now), stepOf(now)),
        signal: stop.signal,
      },
      {
        onOpen: async (open) => {
          opened = open;
          if (flags.parameters !== undefined) await saveParameters(flags.parameters, open);
        },
      },
    );
    progress.end();
    const { model, reconstruction } = opened as OpenJob;
    const context = {
      lines: reconstruction.server.about?.lines ?? [],
      tokenizer: model.tokenizer,
      colour: wantsColour(),
      showGuesses: flags.showGuesses ?? false,
    };
    process.stdout.write(
      flags.json ? `${JSON.stringify(result, null, 2)}\n` : describeReconstruction(attack, result, context),
    );
    if (!result.finished) process.exitCode = 1;
  } finally {
    stop.end();
    progress.end();
  }
}

/** The flags as options of the library, checked before anything is read. */
function optionsFrom(attack: GradientAttack, flags: GradientFlags): GradientAttackOptions {
  const { model, text, data, split, count, maxTokens, batchSize, loss, shared, genie, seed, jobs, out, similarity } =
    flags;
  if ((text === undefined) === (data === undefined)) {
    throw new ArgumentError(
      `expected one of --text${attack.server === 'curious' ? ', --data and --gradients' : ' and --data'}`,
    );
  }
  const given = {
    texts: text,
    ...(data !== undefined && { split: split as SplitName, count }),
    batchSize,
    loss,
    shared,
    genie,
    folder: out,
  };
  const { mechanism: name, ...values } = protectionFrom(flags);
  return {
    model,
    maxTokens,
    seed,
    jobs,
    similarity,
    mechanism: { name, ...values } as SharingMechanism,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...readOptions(attack.options, optionsAmong(attack.options, flags), flagOf),
  };
}

const stages: Readonly<Record<EvaluationProgress['stage'], string>> = {
  gradients: 'computing the client’s gradients …',
  attack: 'attacking …',
  floor: 'attacking random words, for the floor …',
  scores: 'scoring …',
};

const describeProgress = ({ done, all, stage }: EvaluationProgress): string =>
  `${done}/${all} batches  ${stages[stage]}`;

/** A single batch is followed by one of random words, for the floor, which takes as long. Scoring takes little. */
const stepOf = ({ done, all, stage }: EvaluationProgress): Step | undefined =>
  stage === 'scores' ? undefined : { share: done / (all === 1 ? 2 : all) };

async function saveParameters(path: string, { model, reconstruction: { server } }: OpenJob): Promise<void> {
  const tensors = Object.entries(server.parameters ?? {}).map(([name, data]) => {
    const shape = model.parameters.get(name)?.shape ?? [];
    return [storedName(model, name), { shape, data }] as const;
  });
  const metadata = { format: 'pt', changes: JSON.stringify(server.about?.data.changes ?? []) };
  await writeSafetensors(path, Object.fromEntries(tensors), metadata);
}

async function attackFile(attack: GradientAttack, flags: GradientFlags, file: string): Promise<void> {
  const { length, noiseDeviation, model: source, seed } = flags;
  const options = readOptions(attack.options, optionsAmong(attack.options, flags), flagOf);
  const progress = progressLine(flags.quiet ?? false);
  const known = { ...(length !== undefined && { length }), ...(noiseDeviation !== undefined && { noiseDeviation }) };
  let result: GradientFileResult;
  try {
    await downloadNamed({ model: source, options: [attack.options, options] }, progress);
    progress.show('loading the model …');
    const model = await openAttackedModel(source, { seed });
    const onProgress = ({ done, all }: { readonly done: number; readonly all: number }) =>
      progress.show('attacking the file, and pure noise to compare', { share: done / all });
    result = await attackGradientFile({ attack, options, model, file, ...known, onProgress });
  } finally {
    progress.end();
  }
  const document = { attack: attack.name, model: source, gradients: file, ...result };
  process.stdout.write(
    flags.json ? `${JSON.stringify(document, null, 2)}\n` : describeGradientFile(attack, document, flags.showGuesses),
  );
}
