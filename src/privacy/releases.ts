// A composed event as a flat list: simple events and how often each happened.

import type { PrivacyEvent } from './events.js';

export type SimpleEvent = Exclude<PrivacyEvent, { kind: 'composed' | 'selfComposed' | 'none' }>;

/** An event without sampling or parts around it. */
export type InnermostEvent = Exclude<SimpleEvent, { kind: 'poissonSampled' | 'parallel' }>;

export interface Release {
  readonly event: SimpleEvent;
  readonly count: number;
}

/** Equal events are added up, so that a million steps are one entry. */
export function releases(event: PrivacyEvent, count = 1): readonly Release[] {
  const totals = new Map<string, Release>();
  for (const release of flatten(event, count)) {
    const key = JSON.stringify(release.event);
    totals.set(key, { event: release.event, count: release.count + (totals.get(key)?.count ?? 0) });
  }
  return [...totals.values()];
}

function flatten(event: PrivacyEvent, count: number): readonly Release[] {
  if (count === 0) return [];
  switch (event.kind) {
    case 'none':
      return [];
    case 'selfComposed':
      return flatten(event.event, count * event.count);
    case 'composed':
      return event.events.flatMap((inner) => flatten(inner, count));
    case 'poissonSampled':
      if (event.sampleRate === 1) return flatten(event.event, count);
      // Sampling nobody, or sampling for an event that releases nothing, releases nothing.
      return event.sampleRate === 0 || releases(event.event).length === 0 ? [] : [{ event, count }];
    case 'parallel': {
      // The same event on every part: each record goes through it once.
      const [first, ...rest] = event.events;
      const text = JSON.stringify(first);
      if (first === undefined) return [];
      return rest.every((other) => JSON.stringify(other) === text) ? flatten(first, count) : [{ event, count }];
    }
    default:
      return [{ event, count }];
  }
}

/** The events inside all sampling, parts and compositions, without those that release nothing. */
export function innermost(event: PrivacyEvent): readonly InnermostEvent[] {
  return releases(event).flatMap(({ event: simple }) => {
    if (simple.kind === 'poissonSampled') return innermost(simple.event);
    return simple.kind === 'parallel' ? simple.events.flatMap(innermost) : [simple];
  });
}

/** The event inside Poisson sampling, if it is a single simple one; nested sampling multiplies the rates. */
export function sampledOnce(
  event: SimpleEvent,
): { readonly sampleRate: number; readonly event: SimpleEvent } | undefined {
  if (event.kind !== 'poissonSampled') return { sampleRate: 1, event };
  const inner = releases(event.event);
  const [only] = inner;
  if (only === undefined || inner.length > 1 || only.count > 1) return undefined;
  const deeper = sampledOnce(only.event);
  return deeper && { sampleRate: deeper.sampleRate * event.sampleRate, event: deeper.event };
}

/** An event in a few words, for messages. */
export function describeKind(event: PrivacyEvent): string {
  if (event.kind === 'poissonSampled') return `Poisson-sampled ${describeKind(event.event)}`;
  if (event.kind === 'selfComposed') return `${event.count} × ${describeKind(event.event)}`;
  if (event.kind === 'composed' || event.kind === 'parallel') {
    return `${event.kind} (${event.events.map(describeKind).join(', ')})`;
  }
  return event.kind;
}
