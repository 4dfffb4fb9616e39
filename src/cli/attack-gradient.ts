// `epsilens attack NAME` for attacks that read text from shared gradients.

import {
  type AttackedModel,
  attackGradientFile,
  type EvaluationProgress,
  encodeTexts,
  evaluateReconstruction,
  type GradientAttack,
  type OpenJob,
  openAttackedModel,
  type ReconstructionJob,
  sampleSentences,
  storedName,
} from '../attacks/index.js';
import { ArgumentError, readOptions } from '../checks/index.js';
import { writeSafetensors } from '../models/index.js';
import type { LabelledExamples } from '../training/index.js';
import { describeAttack, describeGradientFile, describeReconstruction, wantsColour } from './attack-text.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataFlagNames, dataForms, loadData } from './data-options.js';
import { type FlagRule, refuseIgnored } from './flag-rules.js';
import { addOptionFlags, flagOf, optionsAmong } from './option-flags.js';
import { bar, progressLine, stopOnInterrupt } from './progress.js';
import { addProtectionFlags, describeProtection, type ProtectionFlags, protectionFrom } from './protection-flags.js';
import { refuseRenamed, renamedFlags } from './renamed-flags.js';

interface GradientFlags extends DataFlags, ProtectionFlags {
  readonly model: string;
  readonly text?: readonly string[];
  readonly data?: string;
  readonly split: string;
  readonly count?: number;
  readonly maxTokens: number;
  readonly seed: number;
  readonly batchSize?: number;
  readonly loss?: string;
  readonly shared?: string;
  readonly gradients?: string;
  readonly length?: number;
  readonly noiseDeviation?: number;
  /** File to which the server's parameters are saved. */
  readonly parameters?: string;
  /** `--no-similarity` leaves out the sentence encoder. */
  readonly similarity: boolean;
  readonly jobs: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addGradientAttack(parent: Command, attack: GradientAttack): void {
  const command = parent.command(attack.name).description(attack.words.help);
  addSentenceFlags(command, attack);
  addOptionFlags(command, attack.options);
  addProtectionFlags(command);
  refuseRenamed(command, renamedFlags.attack);
  if (attack.server === 'curious') addGradientFileFlags(command);
  else command.option('--parameters <file>', 'save the parameters that the server sends, as safetensors');
  command
    .option('--no-similarity', 'leave out the cosine of sentence vectors')
    .option('--jobs <count>', 'number of processes, one core each', wholeNumber(1), 1)
    .option('--out <folder>', 'keep results batch by batch in this folder, and resume from them next time')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .addHelpText('after', describeAttack(attack))
    .action((flags: GradientFlags) =>
      flags.gradients === undefined ? attackSentences(attack, flags) : attackFile(attack, flags, flags.gradients),
    );
  refuseIgnored(command, flagRules(attack));
}

function addSentenceFlags(command: Command, { batchSize, shares }: GradientAttack): void {
  command
    .option(
      '--model <model>',
      'a folder in the Hugging Face layout, bundled:bert-mini, bundled:gpt2-mini, or relu (3 layers, randomly initialised)',
      'bundled:bert-mini',
    )
    .option('--text <text>', 'a sentence of the client; may be given several times', (text, before: string[] = []) => [
      ...before,
      text,
    ])
    .option('--data <data>', `draw the client’s sentences from ${dataForms}`)
    .option('--split <name>', 'with --data: the split to draw from: train, validation or test', 'train')
    .option(
      '--count <number>',
      `with --data: number of sentences to draw (default: ${defaultCount(batchSize)})`,
      wholeNumber(1),
    )
    .option('--max-tokens <count>', 'sentences are cut to this many tokens', wholeNumber(3), 64)
    .option(
      '--batch-size <count>',
      `sentences whose gradients are shared as one sum (default: ${batchSize})`,
      wholeNumber(1),
    )
    .option(
      '--loss <name>',
      'the loss that the client trains on: class; next (GPT-2, relu); all or masked (BERT: every token, or 15 % masked)',
    )
    .option(
      '--shared <parameters>',
      `parameters whose gradients are shared: read (those that the attack reads), all, or a selection (default: ${shares})`,
    )
    .option('--seed <number>', 'seed of the sample, the noise, the server and a new head', wholeNumber(0), 1);
  addDataFlags(command);
}

const defaultCount = (batchSize: number): number => (batchSize === 1 ? 10 : batchSize);

function addGradientFileFlags(command: Command): void {
  command
    .option(
      '--gradients <file>',
      'attack gradients from a safetensors file instead (docs/attacks.md says how to export them)',
    )
    .option(
      '--length <tokens>',
      'with --gradients: tokens of the sentence, special ones included, where known',
      wholeNumber(1),
    )
    .option(
      '--noise-deviation <number>',
      'with --gradients: standard deviation of the noise on each number, where known',
      positiveNumber,
    );
}

function flagRules({ options }: GradientAttack): FlagRule[] {
  const ofFile = ['--length', '--noise-deviation'];
  const attacker = Object.keys(options).map(flagOf);
  return [
    // The maker of the file chose the sentences, the loss and the noise: no flag of the client applies.
    { given: '--gradients', accepts: ['--model', ...ofFile, ...attacker, '--json', '--quiet'] },
    { flags: ofFile, with: ['--gradients'] },
    { flags: ['--split', '--count', ...dataFlagNames], with: ['--data'] },
  ];
}

async function attackSentences(attack: GradientAttack, flags: GradientFlags): Promise<void> {
  const protection = protectionFrom(flags);
  const options = readOptions(attack.options, optionsAmong(attack.options, flags), flagOf);
  const progress = progressLine((flags.quiet || flags.json) ?? false);
  const stop = stopOnInterrupt();
  try {
    progress.show('loading the model …');
    const { model, ...sentences } = await loadSentences(attack, flags);
    const { batchSize, loss, shared, seed } = flags;
    const job: ReconstructionJob = {
      attack: attack.name,
      options: options as Readonly<Record<string, unknown>>,
      model: flags.model,
      maxTokens: flags.maxTokens,
      ...sentences,
      ...(batchSize !== undefined && { batchSize }),
      ...(loss !== undefined && { loss }),
      ...(shared !== undefined && { shared }),
      protection,
      seed,
    };
    let lines: readonly string[] = [];
    const result = await evaluateReconstruction(job, {
      model,
      jobs: flags.jobs,
      ...(flags.out !== undefined && { folder: flags.out }),
      withoutSimilarity: !flags.similarity,
      onProgress: (now) => progress.show(describeProgress(now)),
      onOpen: async (open) => {
        lines = open.reconstruction.server.about?.lines ?? [];
        if (flags.parameters !== undefined) await saveParameters(flags.parameters, open);
      },
      signal: stop.signal,
    });
    progress.end();
    const told = { ...result, protection: describeProtection(protection) };
    process.stdout.write(
      flags.json
        ? `${JSON.stringify(told, null, 2)}\n`
        : describeReconstruction(attack, told, { lines, tokenizer: model.tokenizer, colour: wantsColour() }),
    );
  } finally {
    stop.end();
    progress.end();
  }
}

const stages: Readonly<Record<EvaluationProgress['stage'], string>> = {
  gradients: 'computing the client’s gradients …',
  attack: 'attacking …',
  floor: 'attacking random words, for the floor …',
  scores: 'scoring …',
};

const describeProgress = ({ done, all, stage }: EvaluationProgress): string =>
  `${bar(done / all)} ${done}/${all} batches  ${stages[stage]}`;

interface Sentences {
  readonly model: AttackedModel;
  readonly numLabels?: number;
  readonly examples: LabelledExamples;
}

async function loadSentences(attack: GradientAttack, flags: GradientFlags): Promise<Sentences> {
  const { text, data, maxTokens, seed } = flags;
  if ((text === undefined) === (data === undefined)) {
    throw new ArgumentError(
      `expected one of --text${attack.server === 'curious' ? ', --data and --gradients' : ' and --data'}`,
    );
  }
  if (text !== undefined) {
    const model = await openAttackedModel(flags.model, { seed, maxTokens });
    return { model, examples: encodeTexts(model, text, maxTokens) };
  }
  const dataSet = await loadData(data as string, flags);
  const examples = dataSet.splits[flags.split as keyof typeof dataSet.splits];
  if (examples === undefined) {
    const known = Object.keys(dataSet.splits).join(', ');
    throw new ArgumentError(`${data}: expected a split among ${known}, got ${flags.split}`);
  }
  const labels = dataSet.classes.length > 0 ? { numLabels: Math.max(2, dataSet.classes.length) } : {};
  const model = await openAttackedModel(flags.model, { seed, maxTokens, ...labels });
  const count = flags.count ?? defaultCount(flags.batchSize ?? attack.batchSize);
  return { model, ...labels, examples: sampleSentences(model, examples, { count, maxTokens, seed }) };
}

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
  const model = await openAttackedModel(source, { seed });
  const result = await attackGradientFile({
    attack,
    options: readOptions(attack.options, optionsAmong(attack.options, flags), flagOf),
    model,
    file,
    ...(length !== undefined && { length }),
    ...(noiseDeviation !== undefined && { noiseDeviation }),
  });
  const told = { attack: attack.name, model: source, gradients: file, ...result };
  process.stdout.write(flags.json ? `${JSON.stringify(told, null, 2)}\n` : describeGradientFile(attack, told));
}
