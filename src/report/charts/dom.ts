// Doorway to linkedom: the document that charts are drawn into when there is no browser.

import { parseHTML } from 'linkedom';

export const makeDocument = (): unknown => parseHTML('<!doctype html><html><body></body></html>').document;
