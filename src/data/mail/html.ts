// The doorway to parse5: the text that a mail reader would show for HTML. Spam breaks its markup on purpose (comments inside
// words, tags never closed), so it is parsed by the rules of the HTML standard instead of matched with patterns.

import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

// Elements whose text a reader does not show. A select list would add all its options.
const hidden = new Set(['head', 'script', 'style', 'title', 'iframe', 'noembed', 'noframes', 'template', 'select']);
const inline = new Set(
  'a abbr acronym b bdo big blink cite code dfn em font i ins kbd label map nobr q s samp small span strike strong sub sup tt u var'.split(
    ' ',
  ),
);

/**
 * The visible text of HTML: blocks on lines of their own, comments, scripts and styles dropped, entities decoded. Line breaks
 * of the source stay, because mailing lists append plain lines to HTML.
 */
export function htmlToText(html: string): string {
  const pieces: string[] = [];
  // Iterative, because unclosed tags nest thousands deep.
  const waiting: (Node | '\n')[] = [parse(html, { scriptingEnabled: false })];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === '\n') pieces.push(node);
    else if ('value' in node) pieces.push(node.value);
    else if ('childNodes' in node && !hidden.has(node.nodeName)) {
      const block = !inline.has(node.nodeName);
      if (block) pieces.push('\n');
      if (block) waiting.push('\n');
      for (const child of node.childNodes.toReversed()) waiting.push(child);
    }
  }
  return pieces
    .join('')
    .replace(/[^\S\n]*\n\s*/g, '\n')
    .trim();
}

const tag = /<\/?(?:html|head|body|table|tr|td|font|center|div|span|br|hr|p|a|b|i|u|img|ul|ol|li)\b[^<>]*>/gi;
const fewTags = 4;

/** The visible text of a part sent as plain text, which may be HTML all the same or hold stray tags and entities. */
export function plainToText(text: string): string {
  if (/<(?:html|body)\b/i.test(text.slice(0, 1000)) || (text.match(tag)?.length ?? 0) > fewTags)
    return htmlToText(text);
  return text.replace(tag, ' ').replace(/&#?\w{2,8};/g, (entity) => htmlToText(entity) || ' ');
}
