// Colours, strokes and sizes that the panels of the figure and its legend share.

import type { ModelName, TaskName } from './settings.js';

export const colours: Readonly<Record<ModelName, string>> = {
  'minilm-l6': '#0072b2',
  'bert-mini': '#d55e00',
  'gpt2-mini': '#009e73',
};
export const dashes: Readonly<Record<TaskName, string>> = { CoLA: 'none', 'SST-2': '5 3' };
export const floorDash = '1 3';
export const [ink, grey, card] = ['#222', '#777', '#fff'];
export const size = { panel: 370, height: 310, legend: 58, edge: 14 };
