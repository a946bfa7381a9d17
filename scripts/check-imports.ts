/**
 * Checks who imports whom: packages downward only and by name, folders of a package downward only, nothing its own
 * `index.ts`, no circles. Imports of types alone count.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '..')

/** Circular imports are what some of the programs are about. */
const NOT_CHECKED = ['**/{node_modules,dist}/**', 'packages/cni-build/test/programs/**']

/** What the sources of each package may import of ours; examples and `istio-redirect` any public entry. */
const allowed: Readonly<Record<string, readonly RegExp[]>> = {
  types: [],
  host: [],
  netns: [/^@cni\/types(\/|$)/, /^@cni\/host(\/|$)/],
  skel: [/^@cni\/types(\/|$)/, /^@cni\/host(\/|$)/, /^@cni\/netns\/(handle|sys|unix)$/],
  invoke: [/^@cni\/(types|host)(\/|$)/],
  installer: [/^@cni\/(types|host)(\/|$)/, /^@cni\/netns\/sys$/, /^@cni\/skel\/uninstalled$/],
  nftables: [/^@cni\/(types|host|netns)(\/|$)/],
  ebpf: [/^@cni\/(types|netns)(\/|$)/],
  ipset: [/^@cni\/(types|host|netns)(\/|$)/],
  iptables: [/^@cni\/(types|host|netns)(\/|$)/, /^@cni\/nftables\/wire$/],
  libcni: [/^@cni\/(types|host|invoke)(\/|$)/],
  conformance: [/^@cni\/(types|host|invoke|libcni|netns|iptables)(\/|$)/, /^@cni\/nftables\/wire$/],
  'create-cni-plugin': [/^@cni\/(types|host)(\/|$)/],
  runtime: [],
  'runtime-linux-arm64': [],
  'runtime-linux-x64': [],
  'cni-build': [/^@cni\/host(\/|$)/, /^@cni\/netns\/sys$/],
  kube: [/^@cni\/(types|host|netns)(\/|$)/],
  'istio-rules': [/^@cni\/(types|iptables|nftables)(\/|$)/],
  'istio-node-level': [/^@cni\/(types|host|netns|iptables|nftables|ipset|ebpf|istio-rules)(\/|$)/],
  'istio-redirect': [/^@cni\/(?!istio-redirect)/],
}

/** Packages whose folders still import each other. */
const NOT_YET = ['cni-build', 'conformance', 'installer', 'iptables', 'libcni', 'nftables', 'runtime', 'skel', 'types']

/** Most sources beside each other in a folder, without tests. */
const MOST_BESIDE = 20

const problems: string[] = []
const packages = globSync('packages/*/package.json', { cwd: root }).map((path) => dirname(path))
for (const folder of packages) {
  checkPackage(folder)
  if (!NOT_YET.some((name) => folder === `packages/${name}`)) checkFolders(folder)
}
for (const folder of [...packages, ...globSync('examples/*', { cwd: root }), 'bench', 'scripts']) checkCircles(folder)
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
}

// internal

function checkPackage(folder: string): void {
  const name = folder.slice('packages/'.length)
  const mayImport = allowed[name]
  if (mayImport === undefined) {
    problems.push(`${folder}: scripts/check-imports.ts does not say what it may import`)
    return
  }
  for (const file of sources(folder)) {
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('@cni-examples/')) problems.push(`${file}: a package never imports an example`)
      else if (specifier.startsWith('@cni/')) {
        if (!mayImport.some((pattern) => pattern.test(specifier))) problems.push(`${file}: may not import ${specifier}`)
      } else if (specifier.startsWith('.')) {
        const target = relative(root, resolve(root, dirname(file), specifier))
        if (!target.startsWith(`${folder}/`))
          problems.push(`${file}: ${specifier} leaves the package; import it by name`)
        else if (/\/index\.ts$/.test(target)) problems.push(`${file}: ${specifier}: import the file that defines it`)
      }
    }
  }
}

/**
 * Checks that folders import downward only: at each depth of a package, neither folders nor the files beside them import
 * each other in a circle.
 */
function checkFolders(folder: string): void {
  const beside = new Map<string, number>()
  const arrows = new Map<string, Map<string, Map<string, string>>>()
  for (const file of sources(folder)) {
    const inside = relative(folder, file).split('/')
    beside.set(dirname(file), (beside.get(dirname(file)) ?? 0) + 1)
    if (file.endsWith('/index.ts')) continue
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const target = relative(folder, join(dirname(file), specifier)).split('/')
      let depth = 0
      while (inside[depth] === target[depth] && depth < inside.length) depth++
      const [from = '', to = ''] = [inside[depth], target[depth]]
      const level = arrows.get(inside.slice(0, depth).join('/')) ?? new Map<string, Map<string, string>>()
      arrows.set(inside.slice(0, depth).join('/'), level)
      level.set(from, (level.get(from) ?? new Map<string, string>()).set(to, `${file} imports ${specifier}`))
    }
  }
  for (const [path, count] of beside) {
    if (count > MOST_BESIDE) problems.push(`${path}: ${count} sources beside each other; at most ${MOST_BESIDE}`)
  }
  for (const level of arrows.values()) {
    for (const [from, targets] of level) {
      for (const [to, example] of targets) {
        if (leadsTo(level, to, from))
          problems.push(`${example}: ${to} imports ${from}, too; folders import downward only`)
      }
    }
  }
}

function leadsTo(level: ReadonlyMap<string, ReadonlyMap<string, string>>, start: string, end: string): boolean {
  const seen = new Set<string>()
  const open = [start]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === end) return true
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(level.get(next)?.keys() ?? []))
  }
  return false
}

function checkCircles(folder: string): void {
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (file: string): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      problems.push(`a circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const target = relative(root, resolve(root, dirname(file), specifier))
      if (existsSync(join(root, target))) visit(target)
    }
    path.pop()
    state.set(file, 'done')
  }
  for (const file of globSync(`${folder}/**/*.ts`, { cwd: root, exclude: NOT_CHECKED })) visit(file)
}

/** What is published, without its tests. */
function sources(folder: string): string[] {
  return globSync(`${folder}/src/**/*.ts`, { cwd: root }).filter((file) => !/\.test(-d)?\.ts$/.test(file))
}

function importsOf(file: string): string[] {
  if (!file.endsWith('.ts')) return []
  return ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true).importedFiles.map((one) => one.fileName)
}
