// Runs one trial: from its settings, and the artefacts of the trials that it needs, to measurements and artefacts of its own.

import type { SentenceEncoder } from '../../../models/index.js';
import type { StudyInputs } from '../../study/inputs.js';
import type { Outcome } from '../store.js';
import type { Trial, TrialKind } from '../trial.js';
import { attack } from './attack.js';
import { features } from './features.js';
import type { Kept } from './kept.js';
import { train } from './train.js';

export interface WorkContext {
  readonly inputs: StudyInputs;
  /** The sentence encoder, opened once for all trials. */
  readonly encoder: () => Promise<SentenceEncoder>;
  /** What stays open from one trial to the next. */
  readonly kept: Kept;
  /** The folder for this trial's artefacts. */
  readonly folder: string;
  /** The folder of a trial that it needs. */
  readonly folderOf: (id: string) => string;
  /** What a trial that it needs found. */
  readonly outcomeOf: (id: string) => Outcome;
}

export type Work<Kind extends TrialKind> = (
  trial: Extract<Trial, { readonly kind: Kind }>,
  context: WorkContext,
) => Promise<Outcome>;

const workByKind: { readonly [Kind in TrialKind]: Work<Kind> } = { features, train, attack };

export const workOn = (trial: Trial, context: WorkContext): Promise<Outcome> =>
  (workByKind[trial.kind] as Work<TrialKind>)(trial as never, context);
