// The suffix stripping of Porter (1980) with the later changes that NLTK makes by default: a few irregular words, two-letter words
// unchanged, -y after a consonant only, -ies and -ied of short words, -bli, -logi, -fulli.

type Rules = readonly (readonly [suffix: string, replacement: string])[];
type Condition = (stem: string, suffix: string) => boolean;

const irregular = new Map(
  Object.entries({
    sky: ['sky', 'skies'],
    die: ['dying'],
    lie: ['lying'],
    tie: ['tying'],
    news: ['news'],
    inning: ['innings', 'inning'],
    outing: ['outings', 'outing'],
    canning: ['cannings', 'canning'],
    howe: ['howe'],
    proceed: ['proceed'],
    exceed: ['exceed'],
    succeed: ['succeed'],
  }).flatMap(([stem, words]) => words.map((word) => [word, stem])),
);

const plurals: Rules = pairs('sses ss, ies i, ss ss, s ');
const endings: Rules = pairs(
  'ational ate, tional tion, enci ence, anci ance, izer ize, bli ble, alli al, entli ent, eli e, ousli ous, ization ize, ' +
    'ation ate, ator ate, alism al, iveness ive, fulness ful, ousness ous, aliti al, iviti ive, biliti ble, fulli ful, logi log',
);
const laterEndings: Rules = pairs('icate ic, ative , alize al, iciti ic, ical ic, ful , ness ');
const suffixes: Rules = pairs(
  'al , ance , ence , er , ic , able , ible , ant , ement , ment , ent , ion , ou , ism , ate , iti , ous , ive , ize ',
);

/** The stem of a word in lower case. */
export function stemWord(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (word.length <= 2) return word;
  let stem = word.length === 4 && word.endsWith('ies') ? word.slice(0, -1) : replace(word, plurals, () => true);
  stem = stripPast(stem);
  stem = replace(stem, [['y', 'i']], (rest) => rest.length > 1 && shape(rest).endsWith('c'));
  stem = replaceEndings(stem);
  stem = replace(stem, laterEndings, (rest) => measure(rest) > 0);
  stem = replace(stem, suffixes, (rest, suffix) => measure(rest) > 1 && (suffix !== 'ion' || /[st]$/.test(rest)));
  return tidy(stem);
}

/** Strips -eed, -ed and -ing. */
function stripPast(word: string): string {
  if (word.endsWith('ied')) return word.slice(0, word.length === 4 ? -1 : -2);
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ['ed', 'ing'].find((one) => word.endsWith(one) && shape(word.slice(0, -one.length)).includes('v'));
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/(.)\1$/.test(stem) && shape(stem).endsWith('c')) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function replaceEndings(word: string): string {
  if (word.endsWith('alli') && measure(word.slice(0, -4)) > 0) return replaceEndings(word.slice(0, -2));
  // -logi counts its l as part of what remains.
  return replace(word, endings, (rest, suffix) => measure(suffix === 'logi' ? `${rest}l` : rest) > 0);
}

/** Strips a final -e, and one l of -ll. */
function tidy(word: string): string {
  const rest = word.endsWith('e') ? word.slice(0, -1) : word;
  const drops = rest !== word && (measure(rest) > 1 || (measure(rest) === 1 && !endsShort(rest)));
  const stem = drops ? rest : word;
  return stem.endsWith('ll') && measure(stem.slice(0, -1)) > 1 ? stem.slice(0, -1) : stem;
}

/** Applies the first rule whose suffix fits, if its condition holds; no later rule is tried. */
function replace(word: string, rules: Rules, holds: Condition): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const stem = word.slice(0, -rule[0].length);
  return holds(stem, rule[0]) ? stem + rule[1] : word;
}

/** c and v for each letter; y is a vowel after a consonant. */
function shape(word: string): string {
  let letters = '';
  for (let place = 0; place < word.length; place++) {
    const letter = word[place] as string;
    const vowel = 'aeiou'.includes(letter) || (letter === 'y' && place > 0 && letters[place - 1] === 'c');
    letters += vowel ? 'v' : 'c';
  }
  return letters;
}

/** How often a vowel is followed by a consonant. */
const measure = (word: string): number => shape(word).split('vc').length - 1;

/** Ends in consonant, vowel, consonant other than w, x, y; or is vowel and consonant. */
function endsShort(word: string): boolean {
  const letters = shape(word);
  return letters === 'vc' || (letters.endsWith('cvc') && !/[wxy]$/.test(word));
}

function pairs(text: string): [string, string][] {
  return text.split(', ').map((pair) => pair.split(' ') as [string, string]);
}
