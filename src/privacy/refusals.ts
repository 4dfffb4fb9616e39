// Reasons for refusing an event that several accountants share. Each is the end of a sentence.

import type { Relation } from './accountant.js';
import { amplify } from './amplification.js';
import { releases, type SimpleEvent, sampledOnce } from './releases.js';

/** Amplification by sampling is proved here for add-or-remove-one only. */
export function refuseReplaceOneSampling(event: SimpleEvent, relation: Relation): string | undefined {
  if (relation.neighbours === 'replace-one' && event.kind === 'poissonSampled') {
    return 'sampling is amplified for add-or-remove-one neighbours; account with those, then apply groupPrivacy of size 2';
  }
  return insideParallel(event, (part) => refuseReplaceOneSampling(part, relation));
}

/** Sampling can be counted around one Gaussian, or one event with an ε of its own. */
export function refuseUnknownSampling(event: SimpleEvent): string | undefined {
  if (event.kind === 'poissonSampled') {
    const inner = sampledOnce(event);
    const known = inner && (inner.event.kind === 'gaussian' || amplify(inner.event, inner.sampleRate));
    if (!known) return 'sampling must surround one simple event';
  }
  return insideParallel(event, refuseUnknownSampling);
}

function insideParallel(event: SimpleEvent, refuse: (part: SimpleEvent) => string | undefined): string | undefined {
  if (event.kind !== 'parallel') return undefined;
  const simple = event.events.flatMap((part) => releases(part).map((release) => release.event));
  return simple.map(refuse).find((reason) => reason !== undefined);
}
