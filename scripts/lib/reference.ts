import { join } from 'node:path'
import { Application, Converter, PageEvent } from 'typedoc'
import { root } from './exec.ts'
import { manifests } from './pack.ts'
import { Stop } from './progress.ts'

/** Options of typedoc's plugin `typedoc-plugin-markdown`, which writes the API reference. */
const MARKDOWN = {
  hideBreadcrumbs: true,
  hidePageHeader: true,
  // Writes an anchor for each heading, because VitePress's anchors differ for equal texts.
  useHTMLAnchors: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  enumMembersFormat: 'table',
  typeDeclarationFormat: 'table',
}

const EXPORTS = ['Class', 'Interface', 'TypeAlias', 'Function', 'Variable'] as const

/** Packages in which all exports and their members must have comments. */
const DOCUMENTED = ['@cni/skel']

/**
 * Writes the API reference as Markdown, with one page for each entry of a package.
 *
 * @param folder - output folder of the pages
 * @returns the entries with the addresses of their pages
 */
export async function writeReference(folder: string) {
  const { app, project } = await readReference()
  app.options.setValue('outputs', [{ name: 'markdown', path: folder }])
  const routes = new Map<unknown, string>()
  app.renderer.on(PageEvent.END, ({ model, url }) => void routes.set(model, url.replace(/\.md$/, '')))
  await app.generateOutputs(project)
  return (project.children ?? [])
    .map((module) => ({ name: module.name, route: `api/${routes.get(module)}` }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Checks the API reference without writing it. Fails for a broken link, or for an export without a comment. */
export async function checkReference() {
  const { count } = await readReference()
  return { note: `${count} entries` }
}

async function readReference() {
  const entries = publicEntries()
  const app = await Application.bootstrapWithPlugins({
    name: 'cni-ts',
    entryPoints: entries.map(({ file }) => file),
    tsconfig: join(root, 'tsconfig.json'),
    readme: 'none',
    plugin: ['typedoc-plugin-markdown'],
    router: 'module',
    ...MARKDOWN,
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    // typedoc does not check types, because tsc checks them in another step.
    skipErrorChecking: true,
    sort: ['source-order'],
    validation: { notExported: false, invalidLink: true, invalidPath: false, notDocumented: true },
    requiredToBeDocumented: ['Module', ...EXPORTS, 'Property', 'Method', 'Accessor'],
    packagesRequiringDocumentation: [...DOCUMENTED],
    // This member has a comment, but typedoc drops the comments of methods in a `Pick` type.
    intentionallyNotDocumented: ['@cni/skel/daemon.ShimOptions.log'],
    logLevel: 'Warn',
  })
  const names = new Map(entries.map(({ name, file }) => [file, name]))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      module.name = names.get(project.files.getReflectionPath(module) ?? '') ?? module.name
    }
  })
  const project = await app.convert()
  if (project === undefined) throw new Stop('typedoc could not read the sources')
  app.validate(project)
  const { warningCount, errorCount } = app.logger
  if (warningCount + errorCount > 0) throw new Stop(`typedoc: ${warningCount} warnings and ${errorCount} errors, above`)
  return { app, project, count: entries.length }
}

/** Finds all entries in the packages' `exports`, with the source file of each entry. */
const publicEntries = () =>
  manifests().flatMap(({ folder, manifest: { name, exports } }) =>
    Object.entries(exports).flatMap(([subpath, target]) => {
      const source = typeof target === 'object' ? target['@cni/source'] : undefined
      return source === undefined ? [] : [{ name: join(name, subpath), file: join(folder, source) }]
    }),
  )
