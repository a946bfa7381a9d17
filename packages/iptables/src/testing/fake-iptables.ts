import { RunError, type RunResult } from '@cni/host'
import { type Iptables, iptables } from '../iptables.ts'
import type { IptablesBackend } from '../iptables-backend.ts'
import { type Family, families } from '../rules/model.ts'
import type { IptablesPort, IptablesPortOptions } from '../run/port.ts'
import type { IptablesOptions } from '../work.ts'
import { FakeTables } from './fake-tables.ts'

/** Result of `fakeIptables()`: an `Iptables` over a simulated node. */
export interface FakeIptables extends Iptables {
  /** Programs and files of the simulated node, for code that calls `iptables(where, { port })` itself. */
  readonly port: IptablesPort
  /** Program runs on the simulated node so far, in order. */
  readonly commands: readonly { readonly argv: readonly string[]; readonly input?: string }[]
  /** Rules of the simulated node, as `iptables-save` prints them. Omits empty built-in chains. */
  dump(family?: Family, backend?: IptablesBackend): string
  /**
   * Runs restore text as another program would, to tamper with rules. Throws if the simulated node refuses the text.
   */
  tamper(text: string, family?: Family, backend?: IptablesBackend): void
}

/**
 * Creates an `iptables()` without a kernel and without root. Plans, errors and drift are the same as on a real node.
 * The simulation does not know the meaning of matches.
 *
 * @example
 * ```ts
 * import { ruleset } from '@cni/iptables'
 * import { fakeIptables } from '@cni/iptables/testing'
 *
 * const fake = fakeIptables({ fail: ({ argv }) => (argv[0] === 'ip6tables-restore' ? 'line 2 failed' : undefined) })
 * const rules = ruleset({ filter: ['EX'] }, (t) => [t.filter.on('INPUT').jump('EX'), t.filter.on('EX').drop()])
 * await fake.apply(rules).catch(() => {})
 * fake.dump('ipv4') // '': what IPv4 had written is gone again
 * ```
 */
export function fakeIptables(
  options: Pick<IptablesOptions, 'families' | 'waitSeconds' | 'print'> & {
    /** Back end of the simulated node's plain `iptables-restore`. Default: `'iptables-nft'`. */
    readonly backend?: IptablesBackend
    /** Programs that are not installed on the simulated node. */
    readonly without?: readonly string[]
    /** True if the simulated namespace has IPv6. Default: true. */
    readonly ipv6?: boolean
    /** Simulates failures: returns a message to make the program fail. The message becomes the program's stderr. */
    readonly fail?: (command: FakeIptables['commands'][number]) => string | undefined
  } = {},
): FakeIptables {
  const kernel = fakeKernel(options)
  const { families, waitSeconds, print } = options
  return { ...iptables('host', { families, waitSeconds, print, port: kernel.port }), ...kernel }
}

// internal

export type FakeKernel = Omit<FakeIptables, keyof Iptables>

/** Simulated node behind `fakeIptables`: its back ends, programs and tables. */
export function fakeKernel(options: Parameters<typeof fakeIptables>[0] = {}): FakeKernel {
  const { backend: plain = 'iptables-nft', without = [], ipv6 = true, fail } = options
  const commands: FakeKernel['commands'][number][] = []
  const tables = {
    'iptables-legacy': { ipv4: new FakeTables('ipv4'), ipv6: new FakeTables('ipv6') },
    'iptables-nft': { ipv4: new FakeTables('ipv4'), ipv6: new FakeTables('ipv6') },
  }
  const nft = tables['iptables-nft']
  const execute = (argv: readonly [string, ...string[]], { input, signal }: IptablesPortOptions): RunResult => {
    const command = input === undefined ? { argv } : { argv, input }
    if (signal?.aborted === true) throw failed(argv, '', 'ABORTED')
    commands.push(command)
    const refused = fail?.(command)
    if (refused !== undefined) throw failed(argv, refused)
    const { family, kind, save } = programOf(argv[0], plain)
    if (argv.includes('--version'))
      return result(argv, `iptables v1.8.9 (${kind === 'iptables-nft' ? 'nf_tables' : 'legacy'})\n`)
    if (save) return result(argv, tables[kind][family].save())
    const why = tables[kind][family].restore(input ?? '')
    if (why !== undefined) throw failed(argv, why)
    return result(argv, '')
  }
  return {
    commands,
    port: {
      run: async (argv, runOptions) => execute(argv, runOptions),
      async read(path) {
        if (path.endsWith('/if_inet6')) return ipv6 ? '' : undefined
        const family = families.find((each) =>
          path.endsWith(each === 'ipv4' ? '/ip_tables_names' : '/ip6_tables_names'),
        )
        return family === undefined
          ? undefined
          : tables['iptables-legacy'][family].names.map((name) => `${name}\n`).join('')
      },
      find: (program) => (without.includes(program) ? undefined : `/usr/sbin/${program}`),
      generation: async () => ({ current: () => nft.ipv4.commits + nft.ipv6.commits, close: () => {} }),
      resolve: (path) =>
        /-(nft|legacy)-/.test(path) ? path : `/usr/sbin/${plain.replace('iptables', 'xtables')}-multi`,
    },
    dump: (family = 'ipv4', backend = plain) => tables[backend][family].save({ brief: true }),
    tamper(text, family = 'ipv4', backend = plain) {
      const why = tables[backend][family].restore(text)
      if (why !== undefined) throw new Error(why)
    },
  }
}

function programOf(name: string, plain: IptablesBackend): { family: Family; kind: IptablesBackend; save: boolean } {
  const parts = /^(ip6?)tables(?:-(legacy|nft))?-(save|restore)$/.exec(name)
  const kind = parts?.[2] === 'legacy' || parts?.[2] === 'nft' ? (`iptables-${parts[2]}` as const) : plain
  return { family: parts?.[1] === 'ip6' ? 'ipv6' : 'ipv4', kind, save: parts?.[3] === 'save' }
}

const result = (argv: readonly string[], stdout: string): RunResult => ({
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

const failed = (argv: readonly string[], stderr: string, code: 'EXIT' | 'ABORTED' = 'EXIT') =>
  new RunError(code, 'Command failed', { ...result(argv, ''), exitCode: code === 'EXIT' ? 1 : null, stderr })
