// What one trial does: from its settings and the artefacts of the trials it needs to measurements and artefacts of its own.

import type { SentenceEncoder } from '../../../models/index.js';
import type { StudyInputs } from '../../study/inputs.js';
import type { Outcome } from '../store.js';
import type { Trial, TrialKind } from '../trial.js';
import { attack } from './attack.js';
import { features } from './features.js';
import { train } from './train.js';

export interface WorkContext {
  readonly inputs: StudyInputs;
  /** Open between trials. */
  readonly encoder: () => Promise<SentenceEncoder>;
  /** Where the artefacts of this trial go. */
  readonly folder: string;
  /** Where those of a trial it needs are. */
  readonly folderOf: (id: string) => string;
}

export type Work<Kind extends TrialKind> = (
  trial: Extract<Trial, { readonly kind: Kind }>,
  context: WorkContext,
) => Promise<Outcome>;

const works: { readonly [Kind in TrialKind]: Work<Kind> } = { features, train, attack };

export const workOn = (trial: Trial, context: WorkContext): Promise<Outcome> =>
  (works[trial.kind] as Work<TrialKind>)(trial as never, context);
