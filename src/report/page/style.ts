// The style sheet of the report: light, dark and print, from phones to wide screens.

import { mechanismColours, type mechanismSymbols } from '../charts/chart-style.js';

const perColour = (write: (colour: (typeof mechanismColours)[number], index: number) => string): string =>
  mechanismColours.map(write).join(' ');

const coloursOnWhite = perColour(({ onWhite }, index) => `--mechanism-${index}: ${onWhite};`);
const coloursOnDark = perColour(({ onDark }, index) => `--mechanism-${index}: ${onDark};`);

/** Charts are drawn in the colours on white; here they follow the page. */
const chartColours = perColour(({ onWhite }, index) =>
  ['stroke', 'fill'].map((how) => `svg.chart [${how}="${onWhite}"] { ${how}: var(--mechanism-${index}); }`).join(' '),
);
const keyColours = perColour((_, index) => `.key.mechanism-${index} { background: var(--mechanism-${index}); }`);

/** The shapes of the charts, cut out of a box. */
const shapes: Readonly<Record<(typeof mechanismSymbols)[number], string>> = {
  circle: 'border-radius: 50%;',
  diamond: 'transform: rotate(45deg);',
  triangle: 'clip-path: polygon(50% 0, 100% 100%, 0 100%); transform: scale(1.15);',
  star: 'clip-path: polygon(50% 0, 62% 35%, 100% 38%, 70% 60%, 81% 97%, 50% 76%, 19% 97%, 30% 60%, 0 38%, 38% 35%); transform: scale(1.4);',
  cross:
    'clip-path: polygon(33% 0, 67% 0, 67% 33%, 100% 33%, 100% 67%, 67% 67%, 67% 100%, 33% 100%, 33% 67%, 0 67%, 0 33%, 33% 33%);',
  wye: 'clip-path: polygon(50% 38%, 82% 0, 100% 18%, 64% 58%, 64% 100%, 36% 100%, 36% 58%, 0 18%, 18% 0);',
};
const keyShapes = Object.entries(shapes)
  .map(([symbol, rules]) => `.key.${symbol} { ${rules} }`)
  .join(' ');

export const style = `
:root { color-scheme: light dark; --back: #fff; --text: #1d2129; --soft: #59636e; --line: #d8dde3; --tint: #f4f6f8;
  ${coloursOnWhite} --mark: #ffe9a8; --warn: #8a5300; --warn-back: #fff6e0; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --text: #e4e7eb; --soft: #a0a9b4; --line: #343b43; --tint: #1d2228;
  ${coloursOnDark} --mark: #5a4a12; --warn: #ffd479; --warn-back: #2c2412; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { font-size: clamp(1.6rem, 4.5vw, 2.2rem); line-height: 1.15; margin: 0 0 .4rem; letter-spacing: -.015em; text-wrap: balance;  }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 3rem 0 .8rem; letter-spacing: -.01em; }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .6rem; }
p, dl, figcaption { max-width: 44rem; }
p { margin: 0 0 .9rem; }
body { overflow-wrap: anywhere; } table { overflow-wrap: normal; } .prose td { overflow-wrap: anywhere; min-width: 7rem; }
a { color: var(--mechanism-0); }
.sub { color: var(--soft); margin-bottom: 1.2rem; }
.lead { font-size: 1.1rem; }
.situation { border-left: 4px solid var(--line); padding-left: 1rem; margin: 1.6rem 0; break-inside: avoid; } .situation ul { max-width: 44rem; padding-left: 1.1rem; } .situation li { margin-bottom: .4rem; }
.note, figcaption, caption { color: var(--soft); font-size: .9rem; }
.banner { border: 1px solid var(--warn); border-left-width: 6px; background: var(--warn-back); color: var(--text); padding: .65rem .9rem; border-radius: 4px; margin: 1rem 0 1.4rem; max-width: none; }
.banner b { color: var(--warn); }
nav { font-size: .9rem; color: var(--soft); margin: 1.2rem 0 0; }
nav a { margin-right: .9rem; text-decoration: none; white-space: nowrap; }
nav a:hover { text-decoration: underline; }
.facts { margin: 0; font-size: .95rem; }
.facts div { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: .25rem .75rem; }
dt { color: var(--soft); }
dd { margin: 0; } dd ul { margin: 0; padding-left: 1.1rem; } dd li { margin-bottom: .2rem; }
.statements { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .5rem 1rem; font-size: .95rem; margin: 0 0 1rem; max-width: 52rem; }
figure { margin: 0 0 2rem; }
figcaption { margin-top: .3rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 23rem), 1fr)); gap: 1rem 2rem; }
.panel { max-width: 31rem; min-width: 0; }
svg.chart { --plot-background: var(--back); display: block; width: 100%; height: auto; color: var(--text); }
${chartColours}
.scroll { overflow-x: auto; margin: 0 0 .8rem -3px; padding-left: 3px; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .6rem 0 .3rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--line); }
thead th { vertical-align: bottom; font-weight: 600; border-bottom: 2px solid var(--line); }
tbody th { font-weight: 500; white-space: nowrap; }
.levels { width: 100%; min-width: 52rem; } .levels td { white-space: nowrap; }
.glance { margin-top: .4rem; min-width: 40rem; } .compact { min-width: 30rem; } .tight { min-width: 0; font-size: .85rem; } .tight caption { max-width: 30rem; white-space: normal; } .tight th, .tight td { padding: .25rem .7rem .25rem 0; white-space: nowrap; } .prose td:last-child { min-width: 16rem; max-width: 34rem; }
tr.group th { white-space: normal; background: var(--tint); font-weight: 600; padding: .5rem .6rem; } tr.group th > span { position: sticky; left: .6rem; }
small { display: block; color: var(--soft); font-size: .88em; font-weight: 400; max-width: 15rem; }
small.inline, .line small { display: inline; white-space: nowrap; } .line { display: block; }
b { font-weight: 600; }
.key { display: inline-block; -webkit-print-color-adjust: exact; print-color-adjust: exact; width: .62em; height: .62em; margin-right: .5em; background: currentColor; }
${keyColours} ${keyShapes}
.text { border-top: 1px solid var(--line); padding: .8rem 0 .4rem; }
.text p, .text ol { max-width: none; margin: 0; } .text ol { list-style: none; padding: 0; }
.text .original, .text li { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr) 3rem; gap: 0 .8rem; padding: .16rem 0; }
.text .original { font-weight: 500; padding-bottom: .35rem; }
.text .name { color: var(--soft); font-size: .85rem; font-weight: 400; white-space: nowrap; padding-top: .12rem; }
.text .score { text-align: right; font-variant-numeric: tabular-nums; font-size: .85rem; }
bdi { min-width: 0; white-space: pre-wrap; }
mark { background: var(--mark); color: inherit; font-weight: 600; text-decoration: underline; text-underline-offset: .18em; border-radius: 2px; }
mark.personal { text-decoration: underline double; text-decoration-thickness: .1em; box-shadow: 0 0 0 1px var(--warn); }
.wrong { color: var(--soft); text-decoration: underline dotted; text-underline-offset: .18em; }
code, pre { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--tint); padding: .8rem 1rem; border-radius: 4px; white-space: pre-wrap; margin: 0 0 1rem; }
footer { color: var(--soft); font-size: .85rem; padding-top: 2.5rem; padding-bottom: 3rem; }
@media (max-width: 40rem) {
  main, header, footer { padding-left: 1rem; padding-right: 1rem; }
  .lead { font-size: 1.04rem; } h2 { margin-top: 2.4rem; }
  .statements { grid-template-columns: minmax(0, 1fr); gap: 0; } .statements dd { margin-bottom: .7rem; }
  .text .original, .text li { grid-template-columns: minmax(0, 1fr) auto; padding: .3rem 0; }
  .text bdi { grid-column: 1 / -1; grid-row: 2; }
  .levels th:first-child { position: sticky; left: 0; background: var(--back); z-index: 1; padding-left: 0; }
  .levels tr.group th:first-child { background: var(--tint); padding-left: .6rem; } tr.group th > span { display: block; max-width: calc(100vw - 3.5rem); }
}
@media screen and (max-width: 40rem) {
  .glance, .glance tbody, .glance tr, .glance th, .glance td { display: block; border: 0; min-width: 0; } .glance thead { display: none; }
  .glance tr { border: 1px solid var(--line); border-radius: 4px; padding: .5rem .8rem; margin-bottom: .7rem; }
  .glance th { padding: .1rem 0 .3rem; font-weight: 600; } .glance td { display: grid; grid-template-columns: 8.5rem 1fr; padding: .15rem 0; }
  .glance td::before { content: attr(data-name); color: var(--soft); grid-row: span 2; } .glance small { grid-column: 2; }
}
@media print {
  :root { color-scheme: light; --back: #fff; --text: #000; --soft: #444; --line: #bbb; --tint: #f2f2f2; ${coloursOnWhite} --mark: #fff; --warn: #000; --warn-back: #fff; }
  @page { margin: 15mm; }
  html { font-size: 9.5pt; } header { padding-top: 0; } main, header, footer { max-width: none; padding: 0; } nav { display: none; }
  h2, h3 { break-after: avoid; } figure, .text, tr, .banner { break-inside: avoid; }
  .panels { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: .5rem 1.2rem; } .panels .scroll { grid-column: 1 / -1; }
  .scroll { overflow: visible; } table { font-size: 7.6pt; width: 100%; } td, th { overflow-wrap: normal; } .levels, .glance, .compact { min-width: 0; } .levels td, tbody th { white-space: normal; }
  th, td { padding-right: .5rem; } pre { border: 1px solid var(--line); }
}`;
