import { RunError, type RunResult } from '@cni/host'
import { type Ipset, ipset } from '../ipset.ts'
import type { IpsetPort } from '../port.ts'
import { FakeSets } from './fake-sets.ts'

/** Fake `Ipset` for tests, with sets in memory. It records all programs that the code under test runs. */
export interface FakeIpset extends Ipset {
  /** Access to the fake sets, for code under test that calls `ipset(where, { port })`. */
  readonly port: IpsetPort
  /** Calls of the fake program `ipset` so far, in order. */
  readonly commands: readonly { readonly argv: readonly string[]; readonly input?: string }[]
  /** Content of the fake sets, in the format of `ipset save`. */
  dump(): string
  /**
   * Changes the fake sets as another program would. The text consists of lines for `ipset restore`. Throws if a line is
   * invalid.
   */
  tamper(text: string): void
}

/**
 * Fake of `ipset()` without a kernel and without root, for tests. Entries do not expire.
 *
 * @example
 * ```ts
 * import { fakeIpset } from '@cni/ipset/testing'
 *
 * const fake = fakeIpset()
 * await fake.set('pods', { type: 'hash:ip', family: 'ipv4', maxelem: 9 }).replace(['10.0.0.5'])
 * fake.dump() // 'create pods hash:ip family inet maxelem 9\nadd pods 10.0.0.5\n'
 * ```
 */
export function fakeIpset({
  installed = true,
  fail,
}: {
  /** True if the fake program `ipset` is installed. Default: true. */
  readonly installed?: boolean
  /** Called before each run of the fake program `ipset`. A returned text fails the run, and is printed on stderr. */
  readonly fail?: (command: FakeIpset['commands'][number]) => string | undefined
} = {}): FakeIpset {
  const sets = new FakeSets()
  const commands: FakeIpset['commands'][number][] = []
  const port: IpsetPort = {
    find: (program) => (installed ? `/usr/sbin/${program}` : undefined),
    async run(argv, { input, signal }) {
      const command = input === undefined ? { argv } : { argv, input }
      if (signal?.aborted === true) throw new RunError('ABORTED', 'Command was aborted', result(argv))
      commands.push(command)
      const refused = fail?.(command)
      if (refused !== undefined) throw failed(argv, refused)
      return execute(sets, argv, input)
    },
  }
  return {
    ...ipset('host', { port }),
    port,
    commands,
    dump: () => sets.save() ?? '',
    tamper(text) {
      const why = sets.restore(text, false)
      if (why !== undefined) throw new Error(why)
    },
  }
}

// internal

function execute(sets: FakeSets, argv: readonly string[], input = ''): RunResult {
  const [, verb, name = '', entry = ''] = argv
  if (verb === 'restore') {
    const why = sets.restore(input, argv.includes('-exist'))
    if (why !== undefined) throw failed(argv, why)
    return result(argv)
  }
  if (verb === 'list') return result(argv, sets.list())
  const answer = verb === 'save' ? sets.save(name) : sets.test(name, entry)
  if (answer === undefined) throw failed(argv, 'ipset v7.17: The set with the given name does not exist')
  if (answer === false) throw failed(argv, `${entry} is NOT in set ${name}.`)
  return result(argv, answer === true ? '' : answer)
}

const result = (argv: readonly string[], stdout = ''): RunResult => ({
  command: argv.join(' '),
  argv,
  exitCode: 0,
  signal: null,
  stdout,
  stderr: '',
  durationMs: 0,
  timedOut: false,
  aborted: false,
  failed: false,
})

const failed = (argv: readonly string[], stderr: string) =>
  new RunError('EXIT', 'Command failed', { ...result(argv), exitCode: 1, stderr })
