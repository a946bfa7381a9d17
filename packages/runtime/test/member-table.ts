import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = fileURLToPath(new URL('../src', import.meta.url))

export const DOCUMENT = fileURLToPath(new URL('../../../docs/small-runtime-platform.md', import.meta.url))
export const TABLE = join(source, 'members.ts')

/** Globals of Node that every program on the small runtime has. */
const ALWAYS = [
  'AbortController',
  'AbortSignal',
  'DOMException',
  'Event',
  'EventTarget',
  'TextDecoder',
  'TextEncoder',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'global',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
]

export interface Members {
  readonly modules: Readonly<Record<string, readonly string[]>>
  readonly globals: readonly string[]
}

/** Reads the exports of all Node modules in the package's sources, sorted by name. */
export async function readMembers(): Promise<Members> {
  const files = readdirSync(join(source, 'node'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const { metafile } = await build({
    entryPoints: files.map((file) => join(source, 'node', file)),
    outdir: '/members',
    outbase: join(source, 'node'),
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
  })
  const modules = Object.entries(metafile.outputs).map(([path, { exports }]) => {
    const name = path.slice(path.indexOf('members/') + 'members/'.length, -'.js'.length)
    // A Node module with submodules, such as `fs`, has a folder of its own: fs/fs.ts, fs/promises.ts.
    return [`node:${name.replace(/^(.+)\/\1$/, '$1')}`, exports.filter((one) => one !== 'default').sort()] as const
  })
  const onDemand = Object.keys(JSON.parse(readFileSync(join(source, 'globals/on-demand.json'), 'utf8')))
  return {
    modules: Object.fromEntries(modules.sort(([a], [b]) => (a < b ? -1 : 1))),
    globals: [...ALWAYS, ...onDemand].sort(),
  }
}

/** Returns the text of the generated file `src/members.ts` before formatting. */
export function tableText({ modules, globals }: Members): string {
  const list = (names: readonly string[], indent: string): string =>
    names.map((name) => `${indent}'${name}',`).join('\n')
  const entries = Object.entries(modules).map(([name, names]) =>
    names.length === 0 ? `  '${name}': [],` : `  '${name}': [\n${list(names, '    ')}\n  ],`,
  )
  return [
    '// Generated from the exports of node/ by `node packages/runtime/test/write-members.ts`.',
    '',
    '/** Members of Node modules that the small runtime has. Each module also has a default export. */',
    `export const modules: Readonly<Record<string, readonly string[]>> = {\n${entries.join('\n')}\n}`,
    '',
    '/** Globals of Node that the small runtime has. Globals of JavaScript itself are not listed. */',
    `export const globals: readonly string[] = [\n${list(globals, '  ')}\n]`,
    '',
  ].join('\n')
}

/** Replaces the table of members in the documentation of the small runtime, between two markers. */
export function documentText({ modules, globals }: Members, document: string): string {
  const rows = Object.entries(modules).map(([name, names]) => `| \`${name}\` | \`${names.join(' ')}\` |`)
  const table = ['| module | members |', '|---|---|', ...rows].join('\n')
  const text = `Globals: \`${globals.join(' ')}\`\n\n${table}`
  return document.replace(/(<!-- members -->\n)[\s\S]*(\n<!-- \/members -->)/, (_, start, end) => start + text + end)
}
