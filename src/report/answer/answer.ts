// The answer in plain sentences, put together from the study's conclusions: which noise stops reconstruction, what that
// costs, where utility falls, and which mechanism keeps more of it.

import type { MechanismConclusions, StudyResults } from '../../calibration/index.js';
import { equalLeakageSentences } from './comparison.js';
import { controlSentences } from './control.js';
import { genieSentences, searchSentences } from './limit.js';
import { membershipSentences } from './membership.js';
import { deltaSentences, epsilonSentences, whySentences } from './reasons.js';
import { reconstructionSentences } from './reconstruction.js';
import { releaseSentences } from './release.js';
import { uniformSentences } from './uniform-draws.js';
import { costSentences, gapSentences, startSentences, utilitySentences } from './utility.js';
import { weakGapSentences, weakStopSentences } from './weak-levels.js';

/** Paragraphs of the answer. All but `lead` may be empty. */
export interface Answer {
  /** One paragraph per mechanism. */
  readonly lead: readonly string[];
  readonly why: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly comparison: string;
  /** Whether the mechanisms differ by their noise or by how they bound gradients. */
  readonly release: string;
  readonly membership: string;
}

export function answerOf(results: StudyResults): Answer {
  const paragraphs = results.conclusions.mechanisms.map((one) => paragraphOf(results, one));
  return {
    lead:
      paragraphs.length > 0
        ? paragraphs
        : ['No noise was tried, so this study cannot say what noise prevents or costs.'],
    why: whySentences(results).join(' '),
    epsilon: epsilonSentences(results).join(' '),
    delta: deltaSentences(results).join(' '),
    comparison: equalLeakageSentences(results).join(' '),
    release: releaseSentences(results).join(' '),
    membership: membershipSentences(results).join(' '),
  };
}

const paragraphOf = (results: StudyResults, one: MechanismConclusions): string =>
  [
    ...reconstructionSentences(results, one),
    ...searchSentences(results, one),
    ...genieSentences(results, one),
    ...costSentences(results, one),
    ...startSentences(results, one),
    ...weakStopSentences(results, one),
    ...uniformSentences(results, one),
    ...utilitySentences(results, one),
    ...controlSentences(results, one),
    ...gapSentences(results, one),
    ...weakGapSentences(results, one),
  ].join(' ');
