/**
 * Who may import whom, which no other tool sees whole: packages downward only and by name, the rooms of a package as
 * listed, nothing its own `index.ts`, no circles. Imports of types alone count.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'

const root = resolve(import.meta.dirname, '..')

/** Circular imports are what some of the programs are about. */
const NOT_CHECKED = ['**/{node_modules,dist}/**', 'packages/build/test/programs/**']

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
  build: [/^@cni\/host(\/|$)/, /^@cni\/netns\/sys$/],
  'istio-redirect': [/^@cni\/(?!istio-redirect)/],
}

/**
 * What each folder of a package's sources may import of the others: all of a folder, or one file of it. What lies beside
 * the folders is for all of them, and imports none; only `index.ts` imports any.
 */
const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'istio-redirect': {
    http: [],
    kube: ['http'],
    log: ['http'],
    redirect: ['kube/pod.ts'],
    state: ['redirect'],
    decide: ['kube/pod-identity.ts', 'plugin/settings.ts', 'redirect', 'state/attachments.ts'],
    serve: ['decide', 'kube/pod-identity.ts', 'plugin/conf.ts', 'redirect/config.ts', 'state/attachments.ts'],
    plugin: ['decide', 'http', 'kube', 'log', 'redirect', 'serve', 'state'],
    zds: [],
    ebpf: [],
    'node-level': ['agent/ambient/in-turn.ts', 'agent/ambient/ztunnel.ts', 'ebpf'],
    agent: ['decide', 'kube', 'log', 'node-level', 'plugin', 'redirect', 'serve', 'state', 'zds'],
    tools: ['agent/ambient', 'agent/config', 'decide', 'kube', 'node-level', 'plugin', 'redirect'],
    testing: ['agent/ambient/ztunnel.ts', 'node-level/names.ts', 'zds'],
  },
}

const problems: string[] = []
const packages = globSync('packages/*/package.json', { cwd: root }).map((path) => dirname(path))
for (const folder of packages) checkPackage(folder)
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
        else if (!isInReach(name, file, target)) problems.push(`${file}: may not import ${specifier} of another room`)
      }
    }
  }
}

function isInReach(name: string, file: string, target: string): boolean {
  const ofPackage = rooms[name]
  const from = insideSources(name, file)
  const to = insideSources(name, target)
  if (ofPackage === undefined || from === undefined || to === undefined || from === 'index.ts') return true
  const [room = ''] = from.split('/', 1)
  if (!to.includes('/') || to.startsWith(`${room}/`)) return true
  return ofPackage[room]?.some((each) => to === each || to.startsWith(`${each}/`)) ?? false
}

function insideSources(name: string, file: string): string | undefined {
  const folder = `packages/${name}/src/`
  return file.startsWith(folder) ? file.slice(folder.length) : undefined
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
