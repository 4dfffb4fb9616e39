// What the training trials of a study share, so that a worker opens it once: compiled graphs, and the numbers that training starts from.

import type { Plan } from '../../../mechanisms/index.js';
import { type Arrays, openTrainer, readParameters, type Trainer } from '../../../training/index.js';
import type { Level } from '../../analysis/results.js';
import type { StudyInputs } from '../../study/inputs.js';
import { planOf } from '../../study/levels.js';

/** What a training run of a study needs. */
interface TrainingSetUp {
  readonly trainer: Trainer;
  /** The numbers of the trainable parameters at the start. */
  readonly start: Arrays;
  readonly plan: Plan;
}

export interface OpenTraining {
  /** Sets up a training run; what belongs to another study is closed. */
  readonly setUp: (
    inputs: StudyInputs,
    trial: { readonly level: Level; readonly seed: number; readonly epochs: number },
  ) => Promise<TrainingSetUp>;
  readonly close: () => Promise<void>;
}

interface Opened {
  readonly inputs: StudyInputs;
  /** By seed. */
  readonly starts: Map<number, Start>;
  trainer?: Trainer;
  /** Digest of the frozen parameters of the trainer's model: if they belong to a new head, they are drawn by the seed. */
  frozen?: string;
}

interface Start {
  readonly frozen: string;
  readonly start: Arrays;
}

export function makeOpenTraining(): OpenTraining {
  let open: Opened | undefined;
  const close = async () => {
    const last = open;
    open = undefined;
    await last?.trainer?.close();
  };
  return {
    setUp: async (inputs, { level, seed, epochs }) => {
      if (open?.inputs !== inputs) await close();
      open ??= { inputs, starts: new Map() };
      const { frozen, start } = await startFor(open, seed);
      return { trainer: await trainerFor(open, seed, frozen), start, plan: planOf(inputs, level, epochs) };
    },
    close,
  };
}

/** Larger ones are read again for every run, which takes far longer than that. */
const mostNumbersKept = 2 ** 22;

async function startFor({ inputs, starts }: Opened, seed: number): Promise<Start> {
  const known = starts.get(seed);
  if (known !== undefined) return known;
  const { names, numbers } = inputs.trainable;
  const model = await inputs.modelFor(seed);
  const made = { frozen: model.frozenDigest(names), start: await readParameters(model, names) };
  if (numbers <= mostNumbersKept) starts.set(seed, made);
  return made;
}

async function trainerFor(open: Opened, seed: number, frozen: string): Promise<Trainer> {
  const { inputs, trainer: last } = open;
  if (last !== undefined && open.frozen === frozen) return last;
  delete open.trainer;
  await last?.close();
  const { names } = inputs.trainable;
  const model = inputs.model.frozenDigest(names) === frozen ? inputs.model : await inputs.modelFor(seed);
  const trainer = await openTrainer({ model, trainable: names, data: splitsOf(inputs) });
  open.trainer = trainer;
  open.frozen = frozen;
  return trainer;
}

const splitsOf = ({ train, validation, test }: StudyInputs) => ({ train, test, ...(validation && { validation }) });
