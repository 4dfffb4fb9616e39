// Writes docs/api: one page per entry point of the package, from its doc comments. Started by scripts/api.mjs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';

const root = join(import.meta.dirname, '..', '..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** By source file: the name people import. */
const entries = new Map(
  Object.entries(exports).flatMap(([name, target]) =>
    typeof target === 'string'
      ? []
      : [[target.types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'), name.replace(/^\./, 'epsilens')]],
  ),
);

const app = await Application.bootstrapWithPlugins({
  entryPoints: [...entries.keys()].map((file) => join(root, file)),
  tsconfig: join(root, 'tsconfig.build.json'),
  basePath: root,
  plugin: ['typedoc-plugin-markdown'],
  out: join(root, 'docs', 'api'),
  readme: 'none',
  name: 'API reference',
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  // Names and order must not depend on the machine.
  sort: ['alphabetical'],
  groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases'],
  router: 'module',
  flattenOutputFiles: true,
  entryFileName: 'README',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideModifiers: true, hideInherited: true },
  useCodeBlocks: true,
  useHTMLAnchors: true,
});
const project = await app.convert();
if (project === undefined) process.exit(1);
for (const module of project.children ?? []) {
  // TypeDoc calls an index file by its folder.
  module.name = entries.get(`${module.name}.ts`) ?? entries.get(`${module.name}/index.ts`) ?? module.name;
}
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exit(1);
