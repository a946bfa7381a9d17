import { readFileSync } from 'node:fs'
import type * as Esbuild from 'esbuild'
import type { Prelude } from './prelude.ts'

/**
 * An esbuild plugin: a module of Node is loaded when something of it is first used, not when the file that imports it
 * is. On bun `node:fs` alone takes 1.3 ms, which an answer to VERSION does without.
 *
 * Only where named members are imported (`import { readFileSync } from 'node:fs'`): each use then reads the member from
 * the module, and finds just what is there. A whole module (`import * as fs`) can be enumerated, and is loaded as ever.
 */
export const lazyBuiltins = ({ files }: Pick<Prelude, 'files'>): Esbuild.Plugin => ({
  name: 'lazy-builtins',
  setup(build) {
    const sources = new Map<string, string>()
    const sourceOf = (path: string): string => {
      const source = sources.get(path) ?? readFileSync(path, 'utf8')
      sources.set(path, source)
      return source
    }
    build.onResolve({ filter: /^node:/ }, ({ path, kind, namespace, importer }) =>
      kind === 'import-statement' && namespace === 'file' && importsMembers(sourceOf(importer), path)
        ? { path, namespace: 'lazy-builtin' }
        : { path, external: true },
    )
    build.onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => ({
      contents: path === 'node:fs' ? `${lazily(path)}\n${files}` : `${lazily(path)}\nbecome(${MEMBERS_OF_LOADED})`,
    }))
  },
})

/**
 * A bundle in which all files that import such a module share it. esbuild makes an object for each of them, with what a
 * module of CommonJS would need; this one has them all, `default` among them.
 *
 * @param text - CommonJS by esbuild, which has not shortened its names.
 */
export function sharedBuiltins(text: string): string {
  const names = [...text.matchAll(/^var (\w+) = __commonJS\d*\(\{\n\s*"lazy-builtin:/gm)].flatMap(
    ([, name]) => name ?? [],
  )
  return names.reduce((shared, name) => shared.replaceAll(`__toESM(${name}(), 1)`, `${name}()`), text)
}

/** Whether a source takes members of a module, and never the module as a whole. */
export function importsMembers(source: string, module: string): boolean {
  const statements = [...source.matchAll(FROM)].filter(({ groups }) => groups?.specifier === module)
  return statements.length > 0 && statements.every(([, what = '']) => MEMBERS.test(what))
}

// internal

/** `import … from '…'` and `export … from '…'`; what it also finds in a comment or a text only makes a module eager. */
const FROM = /\b(?:import|export)\b([^'";]*?)\bfrom\s*(['"])(?<specifier>[^'"]+)\2/g
const MEMBERS = /^\s*(?:type\s*)?\{[^}]*\}\s*$/

/**
 * An object without members but `default`, before a prototype that knows them all: it costs nothing until it is asked, also
 * where the bundler makes one of its own for a file, with its members and that prototype.
 */
const lazily = (path: string): string =>
  `const load = () => require(${JSON.stringify(path)})\nconst become = (members) => { module.exports = Object.create(members, { default: { get() { return this } } }) }`

const MEMBERS_OF_LOADED = 'new Proxy({}, { get: (_, name) => load()[name] })'
