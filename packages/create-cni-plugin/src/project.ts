import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dependenciesOf } from './dependencies.ts'
import { deployFiles } from './deploy-files.ts'
import { chainPrefix, isChained, type ProjectOptions, type Rules } from './options.ts'
import { readmeOf } from './readme.ts'

const template = fileURLToPath(new URL('../template', import.meta.url))

/** Configurations for the conformance test: the examples of the template's `rules.ts`, by mechanism. */
const CONFIGURATIONS = {
  iptables: { port: 15001 },
  nftables: { port: 15001 },
  routes: { blocked: ['10.9.0.0/16', 'fd00:9::/32'] },
} as const satisfies Record<Rules, object>

/**
 * Creates the text of all files of a new project, by path.
 *
 * @param tarballs - map from package name to `file:` URL, for `@cni` packages that npm must not download
 */
export function projectFiles(
  options: ProjectOptions,
  tarballs: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  const { name, kind, rules, agent } = options
  const conf = rules === undefined ? {} : CONFIGURATIONS[rules]
  const folders = ['always', `kind/${kind}`]
  if (rules !== undefined) folders.push(`rules/${rules}`)
  // A thick plugin's daemon does the same work as a chained plugin, so both use the same template.
  if (isChained(kind)) folders.push('kind/behind')
  if (agent) folders.push('agent/any', kind === 'main' ? 'agent/main' : 'agent/chained')
  const words = { '@NAME@': name, '@CHAIN@': chainPrefix(name) }
  const fill = (text: string) =>
    Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, value), text)

  const files = new Map(
    folders.flatMap((folder) =>
      filesBelow(join(template, folder)).map(
        // The template stores .gitignore under another name, because npm does not pack files named .gitignore.
        (path) =>
          [
            path === 'gitignore' ? '.gitignore' : path,
            fill(readFileSync(join(template, folder, path), 'utf8')),
          ] as const,
      ),
    ),
  )
  files.set('package.json', packageJson(options, tarballs))
  files.set(
    'conformance.json',
    json({ cniVersion: '1.1.0', name: 'conformance', type: name, ...conf, ...ipamOf(options) }),
  )
  for (const [path, text] of deployFiles(options, conf)) files.set(path, text)
  files.set('README.md', readmeOf(options))
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function ipamOf({ name, kind }: ProjectOptions) {
  if (kind === 'main') return { ipam: { type: 'host-local', ranges: [[{ subnet: '10.78.0.0/16' }]] } }
  if (kind === 'ipam') return { ipam: { type: name, ranges: [{ subnet: '10.78.0.0/16' }, { subnet: 'fd78::/64' }] } }
  return {}
}

function filesBelow(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()
}

function packageJson(options: ProjectOptions, tarballs: Readonly<Record<string, string>>) {
  const { name, kind, agent } = options
  const build = [`cni-build src/main.ts -o dist/${name}`]
  // Agents and daemons need bun, because the small runtime lacks parts of Node.js.
  const staying = (entry: string, program: string) =>
    `cni-build src/${entry} -o dist/${name}-${program} --runtime bun --smoke none`
  if (agent) build.push(staying('agent-main.ts', 'agent'))
  if (kind === 'thick') build.push(staying('daemon-main.ts', 'daemon'))
  const chained = isChained(kind) ? ' --chained' : ''
  const onKernel = 'vitest run --dir test --test-timeout 30000'
  const { dependencies, devDependencies, overrides } = dependenciesOf(options, tarballs)
  return json({
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      check: 'tsc',
      test: 'tsc && vitest run --dir src',
      // The tests need a built executable, because main plugins start an IPAM plugin's file.
      'test:kernel': kind === 'ipam' ? `npm run build && ${onKernel}` : onKernel,
      build: build.join(' && '),
      conformance:
        kind === 'thick'
          ? 'vitest run --dir conformance'
          : `cni-conformance dist/${name}${chained} --conf conformance.json`,
    },
    dependencies,
    devDependencies,
    ...(overrides && { overrides }),
  })
}
