import { parseArgs } from 'node:util'
import type { ExecutableName } from '../../scripts/lib/executables.ts'

type SuiteInfo = { about: string; numbers: readonly string[]; executables: readonly ExecutableName[] }

/** Benchmark suites of `npm run bench`, each with its description, numeric options and needed executables. */
export const SUITES = {
  plugin: {
    about: 'istio-cni as whole processes: every verb, and many pods at a time',
    numbers: ['runs', 'pods'],
    executables: ['istio-cni', 'install-cni'],
  },
  libcni: {
    about: 'chains through @cni/libcni, cnitool, a plugin that does nothing',
    numbers: ['runs'],
    executables: ['hello-chain', 'cnitool'],
  },
  iptables: {
    about: 'apply and verify of 30, 300, 3000 rules, both back ends',
    numbers: ['runs'],
    executables: [],
  },
  nftables: {
    about: 'apply and verify of 30, 300, 3000 native rules',
    numbers: ['runs'],
    executables: [],
  },
  'iptables-sets': {
    about: 'the content of ipsets of 10, 1000, 65000 entries',
    numbers: ['runs'],
    executables: [],
  },
  agent: {
    about: 'install-cni: start, heals, idling, exit; also beside 10000 files',
    numbers: ['runs', 'heals', 'gap-ms', 'idle-seconds', 'files'],
    executables: ['istio-cni', 'install-cni'],
  },
  ambient: {
    about: 'install-cni in ambient mode: pods that start, join and leave, restarts, memory',
    numbers: ['runs', 'pods'],
    executables: ['istio-cni', 'install-cni'],
  },
  'ambient-modes': {
    about: 'traffic of a mesh, by where it is redirected: in pods or on the node',
    numbers: ['runs', 'connections', 'requests', 'megabytes'],
    executables: [],
  },
  'ambient-adds': {
    about: 'istio-cni as a whole process on a node by eBPF, of pods in the mesh and of pods with a sidecar',
    numbers: ['runs'],
    executables: ['istio-cni', 'install-cni'],
  },
  runtimes: {
    about: 'a plugin on the small runtime, bun and Node, beside a Go plugin: VERSION, ADD, CHECK, DEL',
    numbers: ['runs'],
    executables: ['hello-chain'],
  },
  instructions: {
    about: 'instructions of plugin calls on the small runtime, beside their times (valgrind, where it is installed)',
    numbers: ['runs'],
    executables: ['hello-chain', 'istio-cni'],
  },
  // This suite must be the last, because it keeps the machine's load average high for minutes.
  load: {
    about: '250 pods at once on a busy node whose API server is slow, while the agent heals',
    numbers: ['runs', 'pods'],
    executables: ['istio-cni', 'install-cni'],
  },
} as const satisfies Record<string, SuiteInfo>

export type SuiteName = keyof typeof SUITES

const isSuite = (name: string): name is SuiteName => name in SUITES

export const BASELINE = 'bench/baseline.json'

/** Numeric options of the suites, as options of parseArgs. */
const NUMBERS = {
  runs: { type: 'string' },
  pods: { type: 'string' },
  heals: { type: 'string' },
  'gap-ms': { type: 'string' },
  'idle-seconds': { type: 'string' },
  files: { type: 'string' },
  connections: { type: 'string' },
  requests: { type: 'string' },
  megabytes: { type: 'string' },
} as const

export const HELP = `npm run bench -- [options]

  --suite NAME[,NAME…]  only these suites, default all:
${Object.entries(SUITES)
  .map(([name, { about }]) => `${' '.repeat(26)}${name.padEnd(15)}${about}`)
  .join('\n')}
  --runs N              runs of each contender (20; agent, rules and sets: 10, ambient: 40, instructions: 5, load: 3)
  --pods N              plugin, load: pods that start at once (200, 250); ambient: pods of the node (250)
  --heals N             agent: repairs of each kind (10)
  --gap-ms N            agent: milliseconds between repairs (1200)
  --idle-seconds N      agent: seconds for which the idle agent is measured (20)
  --files N             agent: number of other files in the full network folder (10000)
  --connections N       ambient-modes: short connections in a run (300)
  --requests N          ambient-modes: requests in a run, on one connection (300)
  --megabytes N         ambient-modes: size of a run's long transfer (64)
  --peers DIR           folder with the originals istio-cni, install-cni, cnitool;
                        default: CNI_PEERS, then the first folder of PATH with one of them
  --compare [FILE]      compare with a stored report, default ${BASELINE}
  --save                store the result as ${BASELINE}, each suite with its day and commit;
                        with --suite the other suites keep their stored rows
  --no-install          do not install missing Debian packages
  --list                names of the suites
  --help

Needs root. The report is bench/report/report.md and report.json; progress is on stderr.
Exit code: 0 done, 1 regression or failed suite, 2 invalid options.
`

/** Error: the command line of the benchmarks or of the soak test is invalid. The command then ends with exit code 2. */
export class UsageError extends Error {}

type BenchOptions = {
  help: boolean
  list: boolean
  save: boolean
  install: boolean
  compare: string | undefined
  peers: string | undefined
  suites: SuiteName[]
  numbers: Record<string, string>
}

export function benchOptions(argv: readonly string[]): BenchOptions {
  const { values } = parsed(argv)
  const names = values.suite?.flatMap((list) => list.split(','))
  const unknown = names?.find((name) => !isSuite(name))
  if (unknown !== undefined)
    throw new UsageError(`--suite: expected one of ${Object.keys(SUITES).join(', ')}, got ${JSON.stringify(unknown)}`)
  const numbers = Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => name in NUMBERS)
      .map(([name, text]) => [name, count(name, String(text))]),
  )
  return {
    help: values.help ?? false,
    list: values.list ?? false,
    save: values.save ?? false,
    install: !(values['no-install'] ?? false),
    compare: values.compare,
    peers: values.peers,
    suites: Object.keys(SUITES)
      .filter(isSuite)
      .filter((name) => names?.includes(name) ?? true),
    numbers,
  }
}

/** Returns the arguments for one suite: the caller's numeric options that the suite supports. */
export const suiteArguments = (suite: SuiteName, numbers: Record<string, string>) =>
  SUITES[suite].numbers.flatMap((name) => (numbers[name] === undefined ? [] : [`--${name}=${numbers[name]}`]))

function parsed(argv: readonly string[]) {
  const string = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  // adds the default value to `--compare` without a value, because parseArgs does not support optional values
  const args = argv.flatMap((arg, index) =>
    arg === '--compare' && (argv[index + 1] ?? '-').startsWith('-') ? [`${arg}=${BASELINE}`] : [arg],
  )
  try {
    return parseArgs({
      args,
      options: {
        suite: { type: 'string', multiple: true },
        ...NUMBERS,
        peers: string,
        compare: string,
        save: flag,
        'no-install': flag,
        list: flag,
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function count(name: string, text: string) {
  if (/^[1-9]\d{0,5}$/.test(text)) return text
  throw new UsageError(`--${name}: expected a positive integer, got ${JSON.stringify(text)}`)
}
