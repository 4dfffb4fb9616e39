// Flags that apply only together with others. Elsewhere they would be ignored in silence, so they are refused: whoever sets --noise
// believes that there is noise.

import { ArgumentError } from '../checks/index.js';
import type { Command, Option } from './command.js';

export type FlagRule =
  /** Each of `flags` applies only when at least one of `with` is given too. */
  | { readonly flags: readonly string[]; readonly with: readonly string[] }
  /** When the flag `given` is set, only those of `accepts` apply. */
  | { readonly given: string; readonly accepts: readonly string[] };

/** Checks the rules, in their order, before the command acts. Only flags that a person gave count; defaults never do. */
export function refuseIgnored(command: Command, rules: readonly FlagRule[]): Command {
  return command.hook('preAction', () => {
    const given = givenFlags(command);
    for (const rule of rules) {
      const ignored = given.find((flag) => isIgnored(flag, rule, given));
      if (ignored !== undefined) throw new ArgumentError(`${ignored} ${reasonOf(rule)}`);
    }
  });
}

function isIgnored(flag: string, rule: FlagRule, given: readonly string[]): boolean {
  if ('with' in rule) return rule.flags.includes(flag) && !rule.with.some((one) => given.includes(one));
  return given.includes(rule.given) && flag !== rule.given && !rule.accepts.includes(flag);
}

const reasonOf = (rule: FlagRule): string =>
  'with' in rule
    ? `has an effect only with ${rule.with.join(' or ')}: add that, or leave it out`
    : `has no effect with ${rule.given}: leave one of them out`;

/** In the order in which the command lists them. `--header` and `--no-header` share a value that shows which was set. */
const givenFlags = (command: Command): string[] =>
  command.options.flatMap((option: Option) => {
    const name = option.attributeName();
    const isGiven = command.getOptionValueSource(name) === 'cli';
    return isGiven && option.negate === (command.getOptionValue(name) === false) ? [option.long as string] : [];
  });
