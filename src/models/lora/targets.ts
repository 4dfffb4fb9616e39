// Which layers a LoRA adapter adapts: as PEFT reads target_modules, by the last parts of a layer's name.

import { ArgumentError, option, say } from '../../checks/index.js';
import type { Model } from '../model.js';

/** The linear layers of a classifier, without its head, in the order of the graph. */
export function linearLayers(model: Model): string[] {
  const built = model.build({ batch: 1, tokens: 1 });
  built.classify();
  const { head } = model.architecture.selections;
  return built.traces.flatMap(({ kind, weight: { name } }) => {
    if (kind !== 'linear' || head.test(name) || !name.endsWith('.weight')) return [];
    return [name.slice(0, -'.weight'.length)];
  });
}

/** What PEFT adapts by default: query and value maps, or the one that holds both. */
export function usualTargets({ layout }: Pick<Model, 'layout'>): string {
  const names = layout.blocks.flatMap(({ query, value }) => [lastPart(query.name), lastPart(value.name)]);
  return [...new Set(names)].join(',');
}

export const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/**
 * The layers that these targets stand for: `all-linear`, or names separated by commas. A name stands for every layer that it ends; with *
 * it stands for the layers whose whole name it describes.
 */
export function findTargets(model: Model, targets: string): string[] {
  const all = linearLayers(model);
  if (targets === 'all-linear') return all;
  const chosen = new Set<string>();
  for (const target of targets.split(',').map((one) => one.trim())) {
    const found = all.filter((name) => isTarget(name, target, model.architecture.prefix));
    if (found.length === 0) {
      const known = [...new Set(all.map(lastPart))].join(', ');
      throw new ArgumentError(
        say`invalid ${option('targets')}: no linear layer is called ${JSON.stringify(target)}: expected all-linear, ${known}, or longer names such as ${all[0]}, with * for anything`,
      );
    }
    for (const name of found) chosen.add(name);
  }
  return all.filter((name) => chosen.has(name));
}

function isTarget(name: string, target: string, prefix: string): boolean {
  const full = `${prefix}${name}`;
  if (!target.includes('*')) return full === target || full.endsWith(`.${target}`) || name === target;
  const pattern = new RegExp(`^${target.split('*').map(escaped).join('.*')}$`);
  return pattern.test(name) || pattern.test(full);
}

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

/** A pattern that fits what any of these fits. */
export const anyOf = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'));
