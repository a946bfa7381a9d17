import { type CommandIo, isUsageError, UsageError, versionText } from '@cni/host/cli'
import { DEFAULTS, helpText, parseCommandLine, refuseFlagsKeptByNpm } from './command-line.ts'
import { choicesProblem, type ProjectOptions } from './options.ts'
import { projectFiles } from './project.ts'
import type { Questions } from './questions.ts'
import { tarballsIn } from './tarballs.ts'
import { ProjectFolderError, writeProject } from './write-project.ts'

/** Runs `npm create cni-plugin` without access to the global `process`. `ask` asks for missing options. */
export async function runCli(
  argv: readonly string[],
  io: Pick<CommandIo, 'stdout' | 'stderr' | 'colour' | 'env'>,
  ask?: Questions,
): Promise<0 | 1 | 2> {
  try {
    refuseFlagsKeptByNpm(argv, io.env)
    const command = parseCommandLine(argv)
    if (command === 'help' || command === 'version') {
      io.stdout(command === 'help' ? helpText(io.colour) : versionText('create-cni-plugin'))
      return 0
    }
    const { given, yes, json, dryRun, from } = command
    const tarballs = from === '' ? {} : tarballsIn(from)
    const options = yes || ask === undefined ? unasked(given) : await ask(given)
    if (options === undefined) return 1
    const clash = choicesProblem(options)
    if (clash !== undefined) throw new UsageError(clash)
    const files = projectFiles(options, tarballs)
    if (!dryRun) writeProject(options.name, files)
    const paths = [...files.keys()]
    if (json) io.stdout(`${JSON.stringify({ ...options, written: !dryRun, files: paths })}\n`)
    else io.stdout(report(options, paths, dryRun))
    return 0
  } catch (error) {
    if (!isUsageError(error) && !(error instanceof ProjectFolderError)) throw error
    const misused = isUsageError(error)
    io.stderr(`create-cni-plugin: ${error.message}\n${misused ? 'Try: npm create cni-plugin -- --help\n' : ''}`)
    return misused ? 2 : 1
  }
}

function unasked({ name, ...given }: { readonly [K in keyof ProjectOptions]?: ProjectOptions[K] | undefined }) {
  if (name === undefined) throw new UsageError('a name is missing: npm create cni-plugin my-plugin')
  const { kind = DEFAULTS.kind, rules = DEFAULTS.rules, agent = DEFAULTS.agent } = given
  if (kind === 'ipam') return { name, kind, rules: undefined, agent: false }
  return { name, kind, rules, agent }
}

function report({ name, kind, rules, agent }: ProjectOptions, paths: readonly string[], dryRun: boolean) {
  const what = [`${name}: ${kind}`, ...(rules ? [rules] : []), `${agent ? 'with' : 'without'} an agent`].join(', ')
  if (dryRun) return `${what}; nothing was written\n${paths.map((path) => `  ${path}\n`).join('')}`
  return `${what}, ${paths.length} files. Next:

  cd ${name}
  npm install
  npm test                       # types, and tests without root
  sudo npm run test:kernel       # in throw-away namespaces
  npm run build                  # dist/${name}: one file, for nodes without Node.js
  sudo npm run conformance       # checks it against the specification
`
}
