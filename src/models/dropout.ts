// Dropout (Srivastava et al. 2014) in a graph that is built for training: where it acts, with which rate, and the masks as inputs of
// the graph. Whoever runs the graph draws the masks; graphs in evaluation mode have none.

import { ArgumentError, FileError, option, say } from '../checks/index.js';
import { inOrder, input, mul, type Value } from '../engine/index.js';
import type { RawConfig } from './config.js';

/** The roles of places at which dropout acts. */
export const dropoutRoles = ['embeddings', 'attention', 'hidden', 'summary', 'classifier'] as const;

/** What a place drops: embeddings, attention probabilities, what a block adds to its residual, what the map below the classifier reads (RoBERTa), or what the classifier reads. */
export type DropoutRole = (typeof dropoutRoles)[number];

/** The probability of dropping an element, by role. */
export type DropoutRates = Readonly<Record<DropoutRole, number>>;

/** Where dropout acts in a graph. */
export interface DropoutScope {
  /** At places with these roles. */
  readonly roles: readonly DropoutRole[];
  /** Also below the trainable parameters. */
  readonly frozen: boolean;
}

/** A place at which a graph reads a mask. */
export interface DropoutPlace {
  /** Unique in its model, whatever the shape of the graph. */
  readonly name: string;
  readonly role: DropoutRole;
  /** An input of the graph: [batch, heads, tokens, tokens], [batch, tokens, size] or [batch, size]. */
  readonly mask: Value;
}

/** Applies dropout at a place of a graph, or leaves the value as it is. */
export type Drop = (name: string, role: DropoutRole, x: Value) => Value;

/** A graph in evaluation mode has no dropout. */
export const dropNothing: Drop = (_name, _role, x) => x;

/** Multiplies by masks that are inputs of the graph, and lists them. `trainable` are the parameters that are inputs so far. */
export function openDropout(
  { roles, frozen }: DropoutScope,
  trainable: Readonly<Record<string, Value>>,
): { readonly drop: Drop; readonly places: readonly DropoutPlace[] } {
  const places: DropoutPlace[] = [];
  const isTrained = (x: Value) => inOrder([x]).some((one) => one === trainable[sourceName(one)]);
  const drop: Drop = (name, role, x) => {
    // The classifier reads what the frozen part ends with: its mask stands behind every feature that is cached.
    if (!roles.includes(role) || !(frozen || role === 'classifier' || isTrained(x))) return x;
    const mask = input(maskInput(name), x.shape);
    places.push({ name, role, mask });
    return mul(x, mask);
  };
  return { drop, places };
}

/** The name of the input that the mask of a place is. */
export const maskInput = (place: string): string => `dropout ${place}`;

const sourceName = ({ source }: Value): string => (source?.kind === 'input' ? source.name : '');

/** Reads a probability of dropout from config.json. */
export function readRate(config: RawConfig, key: string, otherwise: number): number {
  const value = config[key] ?? otherwise;
  if (typeof value !== 'number' || !(value >= 0 && value < 1)) {
    throw new FileError(`config.json: ${key}: expected a number from 0 to below 1, got ${JSON.stringify(value)}`);
  }
  return value;
}

/** The same rate at every place. */
const rateEverywhere = (rate: number): DropoutRates => ({
  embeddings: rate,
  attention: rate,
  hidden: rate,
  summary: rate,
  classifier: rate,
});

interface ModelWithDropout {
  readonly name: string;
  readonly architecture: { readonly readDropout?: (config: RawConfig) => DropoutRates };
  readonly rawConfig: RawConfig;
}

/** Dropout as it is asked for: one rate for all places, or `config` for the rates of the model's config.json. */
export type DropoutChoice = number | 'config';

/** The rates of a choice, or undefined if nothing is dropped. */
export function dropoutRates(
  { name, architecture, rawConfig }: ModelWithDropout,
  choice: DropoutChoice | undefined,
): DropoutRates | undefined {
  if (choice !== 'config' && choice !== undefined && !(typeof choice === 'number' && choice >= 0 && choice < 1)) {
    throw new ArgumentError(
      say`invalid ${option('dropout')}: expected config or a number from 0 to below 1, got ${choice}`,
    );
  }
  if (choice === 'config' && architecture.readDropout === undefined) {
    throw new ArgumentError(
      say`${name}: the rates of its config.json are not known: give ${option('dropout')} as a number`,
    );
  }
  const rates = typeof choice === 'number' ? rateEverywhere(choice) : choice && architecture.readDropout?.(rawConfig);
  return rates && Object.values(rates).some((rate) => rate > 0) ? rates : undefined;
}
