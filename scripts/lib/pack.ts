import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { exec, root } from './exec.ts'

export type Manifest = {
  name: string
  version: string
  engines?: { node?: string }
  license?: string
  repository?: { url?: string; directory?: string }
  homepage?: string
  bugs?: string
  keywords?: string[]
  publishConfig?: { access?: string }
  bin?: Record<string, string>
  exports: Record<string, string | { types: string; default: string; [condition: string]: string }>
  dependencies?: Record<string, string>
  scripts?: Record<string, string>
}

/** Folder and package.json of every package in this repository. */
export const manifests = () =>
  globSync('packages/*/package.json', { cwd: root })
    .sort()
    .map((path) => {
      const manifest: Manifest = JSON.parse(readFileSync(join(root, path), 'utf8'))
      return { folder: join(root, dirname(path)), manifest }
    })

export type Packed = { tarball: string; bytes: number; manifest: Manifest; files: Map<string, Buffer> }

/**
 * Packs every package as for publication.
 *
 * @param folder - output folder, which is emptied first
 * @param repository - root of the repository; default: this repository
 */
export async function packAll(folder: string, repository = root): Promise<Packed[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // Packs with pnpm, because npm would keep `workspace:*` as the version of dependencies.
  await exec(['pnpm', '--filter', './packages/*', '--recursive', 'pack', '--pack-destination', folder], {
    quiet: true,
    cwd: repository,
  })
  return Promise.all(
    readdirSync(folder).map(async (name) => {
      const tarball = join(folder, name)
      const files = await unpacked(tarball)
      const manifest = JSON.parse(files.get('package.json')?.toString() ?? '{}')
      return { tarball, bytes: statSync(tarball).size, manifest, files }
    }),
  )
}

/** Returns the faults in the files and package.json of a packed package, as sentences. */
export function faults({ manifest, files }: Packed): string[] {
  const found: string[] = []
  const { name } = manifest
  for (const file of ['README.md', 'LICENSE']) if (!files.has(file)) found.push(`${name}: ${file} is missing`)
  for (const file of files.keys()) {
    // Does not check the files of a project template, because they become files of new projects.
    if (file.startsWith('template/')) continue
    if (/\.(test(-d)?|suite)\.ts$|\.prop\.|^test\/|\.log$|tsup\.config|tsconfig/.test(file))
      found.push(`${name}: ${file} is packed`)
  }
  for (const target of targets(manifest)) if (!files.has(target)) found.push(`${name}: ${target} is missing`)
  for (const [file, content] of files) {
    if (!/^dist\/.*\.js$/.test(file)) continue
    const map = files.get(`${file}.map`)
    if (map === undefined) {
      found.push(`${name}: ${file} has no source map`)
      continue
    }

    const { sources, sourcesContent }: { sources: string[]; sourcesContent?: (string | null)[] } = JSON.parse(
      map.toString(),
    )
    const lost = sources.filter((source, i) => !sourcesContent?.[i] && !files.has(join('dist', source)))
    if (lost.length > 0) found.push(`${name}: ${file}.map points at what is not packed: ${lost.join(', ')}`)
    if (content.includes('workspace:')) found.push(`${name}: ${file} mentions workspace:`)
  }
  if (manifest.engines?.node !== '>=20.19') found.push(`${name}: engines.node is ${manifest.engines?.node}`)
  // Packages named @cni/runtime-linux-* have the additional licence MIT, because they contain QuickJS and musl.
  const license = name.startsWith('@cni/runtime-linux-') ? 'Apache-2.0 AND MIT' : 'Apache-2.0'
  if (manifest.license !== license) found.push(`${name}: license is ${manifest.license}`)
  found.push(...[...unfindable(manifest)].map((what) => `${name}: ${what}`))
  for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
    if (/^(workspace|catalog|file|link):/.test(range)) found.push(`${name}: depends on ${dependency}@${range}`)
  }
  for (const script of ['preinstall', 'install', 'postinstall']) {
    if (manifest.scripts?.[script]) found.push(`${name}: has a script ${script}`)
  }
  return found
}

/** Returns the faults in the members of a package.json that npm shows on the package's page, such as links. */
function* unfindable({ repository, homepage, bugs, keywords, publishConfig }: Manifest) {
  const url: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository.url
  if (repository?.url !== url) yield `repository.url is ${repository?.url}, that of the root is ${url}`
  const { directory = '' } = repository ?? {}
  if (!existsSync(join(root, directory, 'package.json'))) yield `repository.directory is ${directory}`
  const page = String(url).replace(/^git\+|\.git$/g, '')
  if (homepage !== `${page}/tree/main/${directory}#readme`) yield `homepage is ${homepage}`
  if (bugs !== `${page}/issues`) yield `bugs is ${bugs}`
  if (!keywords?.includes('cni')) yield 'its keywords lack "cni"'
  if (publishConfig?.access !== 'public') yield 'publishConfig.access is not public'
}

/** Import specifiers that users of a package may import: all entries in `exports` except `./package.json`. */
export const entries = ({ name, exports }: Manifest) =>
  Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([path]) => name + path.slice(1))

const targets = ({ exports, bin = {} }: Manifest) =>
  [...Object.values(exports).flatMap((target) => (typeof target === 'string' ? target : Object.values(target)))]
    .concat(Object.values(bin))
    .map((path) => path.replace(/^\.\//, ''))

/** Lists the files of a package's tarball, with their paths in the package. */
async function unpacked(tarball: string) {
  const folder = mkdtempSync(join(tmpdir(), 'cni-pack-'))
  try {
    await exec(['tar', '-xzf', tarball, '-C', folder, '--strip-components=1'], { quiet: true })
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
    const paths = found.map(({ parentPath, name }) => join(parentPath, name))
    return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
