export { type DataSet, type Example, type PartName, partNames } from './data-set.js';
