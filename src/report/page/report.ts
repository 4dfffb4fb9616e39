// From results to a report: one HTML file without scripts or network, and its charts as files of their own.

import type { StudyResults } from '../../calibration/index.js';
import { chartsOf } from '../charts/charts.js';
import { svgFile } from '../charts/svg.js';
import { type Html, html, htmlText, trusted } from './html.js';
import { redactResults } from './redact.js';
import { answerSection } from './section-answer.js';
import { behaviourSection } from './section-behaviour.js';
import { bridgeSection, isBridgeShown } from './section-bridge.js';
import { attacksWithLikelihood, certaintySection } from './section-certainty.js';
import { chartSections } from './section-charts.js';
import { levelSection } from './section-levels.js';
import { failureSection, privacySection, unfinishedNote } from './section-privacy.js';
import { attacksThatName, recordSection } from './section-records.js';
import { definitionSection, factSection, repeatSection } from './section-study.js';
import { summarySection } from './section-summary.js';
import { personalSentences, redactedTexts, textSection } from './section-texts.js';
import { isTuningShown, tuningSection } from './section-tuning.js';
import { style } from './style.js';

/** What a report leaves out, and what it names. */
export interface ReportOptions {
  /** Leave out texts of the data set and whatever may quote them, as `redactResults` does. Default: false. */
  readonly redact?: boolean;
  /** The name of the statement's file, which the report then names. */
  readonly statement?: string;
}

/** A report, and its charts for use elsewhere. */
export interface Report {
  /** One page without scripts, which loads and sends nothing. */
  readonly html: string;
  /** `name` is for file names; `csv` holds the rows that the chart shows. */
  readonly charts: readonly { readonly name: string; readonly svg: string; readonly csv: string }[];
}

/** Makes the HTML report of a study. It shows private text unless `redact` is set. */
export function renderReport(given: StudyResults, { redact = false, statement }: ReportOptions = {}): Report {
  const results = redact ? redactResults(given) : given;
  const charts = chartsOf(results);
  const { study, finished, version } = results;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${study.name}: what noise costs and what it prevents</title>
<style>${trusted(style)}</style>
</head>
<body>
<header>
<h1>What noise costs, and what it prevents</h1>
<p class="sub">Study “${study.name}”, ${dateOf(finished)}, epsilens ${version}. ${study.description}</p>
${banner(redact)}
${unfinishedNote(results)}
<nav aria-label="Sections">${sectionsOf(results).map(([id, name]) => html`<a href="#${id}">${name}</a> `)}</nav>
</header>
<main>
${summarySection(results)}
<section id="study">
<h2>What was studied</h2>
${factSection(results)}
</section>
${answerSection(results)}
${chartSections(results, charts)}
${tuningSection(results)}
${levelSection(results)}
${bridgeSection(results)}
${behaviourSection(results)}
${certaintySection(results, charts)}
${recordSection(results)}
${redact ? redactedTexts(personalSentences(given)) : textSection(results)}
${privacySection(results)}
${failureSection(results)}
${repeatSection(results, statement)}
${definitionSection(results)}
</main>
<footer>Made by epsilens ${version}. One file; it loads nothing and sends nothing.</footer>
</body>
</html>
`;
  return { html: htmlText(page), charts: charts.map(({ name, svg, csv }) => ({ name, svg: svgFile(svg), csv })) };
}

/** ISO time to the minute, in words. */
const dateOf = (time: string): string => time.replace(/^([\d-]+)T(\d\d:\d\d)[\d:.]*Z$/, '$1 $2 UTC');

const sectionsOf = (results: StudyResults): readonly (readonly [id: string, name: string])[] => [
  ['summary', 'In short'],
  ['study', 'Study'],
  ['answer', 'Evidence'],
  ['charts', 'Charts'],
  ...(isTuningShown(results) ? [['tuning', 'Tuning'] as const] : []),
  ['levels', 'Levels'],
  ...(isBridgeShown(results) ? [['bridge', 'Equal leakage'] as const] : []),
  ['behaviour', 'Attacks'],
  ...(attacksWithLikelihood(results).length > 0 ? [['certainty', 'Certainty'] as const] : []),
  ...(attacksThatName(results).length > 0 ? [['records', 'Who'] as const] : []),
  ['texts', 'Texts'],
  ['privacy', 'Privacy'],
  ['repeat', 'Repeat'],
  ['definitions', 'Words'],
];

const banner = (redact: boolean): Html =>
  redact
    ? html`<p class="banner" role="note"><b>Redacted.</b> Originals, recoveries and row numbers were left out. The figures were computed from private text without protection.</p>`
    : html`<p class="banner" role="note"><b>Private text.</b> This report shows texts of the data set, as they were and as attacks recovered them. To pass it on, make a version without them with <code>--redact</code>.</p>`;
