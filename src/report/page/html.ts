// A template for markup that escapes every value, so that text from data stays text. Trusted markup carries a symbol, which nothing
// read from a file can have.

import { safeText } from '../safe-text.js';

const markup = Symbol('markup');

export interface Html {
  readonly [markup]: string;
}

export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[];

export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  trusted(parts.map((part, place) => part + write(values[place])).join(''));

/** Marks markup that this program made itself, such as charts and style sheets. */
export const trusted = (text: string): Html => ({ [markup]: text });

export const htmlText = (value: Html): string => value[markup];

function write(value: HtmlValue): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(`${value}`);
  return isList(value) ? value.map(write).join('') : value[markup];
}

const isList = (value: HtmlValue): value is readonly HtmlValue[] => Array.isArray(value);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeText = (text: string): string =>
  safeText(text).replace(/[&<>"']/g, (character) => entities[character] as string);
