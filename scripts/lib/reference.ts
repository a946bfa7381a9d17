import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Application, Converter } from 'typedoc'
import { root } from './exec.ts'
import type { Manifest } from './pack.ts'
import { Stop } from './progress.ts'

const out = join(root, 'dist/docs')

/** The API reference from TSDoc, with the guide, as HTML. */
export async function buildReference() {
  const { app, project, count } = await readReference()
  rmSync(out, { recursive: true, force: true })
  await app.generateOutputs(project)
  return { note: `${count} entries, ${relative(root, out)}/index.html` }
}

/** The same without writing anything: a link that leads nowhere or an export without a comment fails. */
export async function checkReference() {
  const { count } = await readReference()
  return { note: `${count} entries` }
}

async function readReference() {
  const entries = publicEntries()
  const pages = readdirSync(join(root, 'docs')).filter((page) => page.endsWith('.md') && page !== 'README.md')
  const app = await Application.bootstrap({
    name: 'cni-ts',
    entryPoints: entries.map(({ file }) => file),
    tsconfig: join(root, 'tsconfig.json'),
    readme: join(root, 'docs/README.md'),
    projectDocuments: pages.map((page) => join(root, 'docs', page)),
    out,
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    // tsc looks at the types.
    skipErrorChecking: true,
    sort: ['source-order'],
    validation: { notExported: false, invalidLink: true, invalidPath: false, notDocumented: true },
    requiredToBeDocumented: ['Module', 'Class', 'Interface', 'TypeAlias', 'Function', 'Variable'],
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

/** What the packages' `exports` offer, and the source behind each. */
function publicEntries() {
  const packages = join(root, 'packages')
  return readdirSync(packages).flatMap((folder) => {
    const { name, exports }: Manifest = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8'))
    return Object.entries(exports).flatMap(([subpath, target]) => {
      const source = typeof target === 'object' ? target['@cni/source'] : undefined
      return source === undefined ? [] : [{ name: join(name, subpath), file: join(packages, folder, source) }]
    })
  })
}
