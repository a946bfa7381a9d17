import { RunError } from '@cni/host'
import { describe, expect, test } from 'vitest'
import { failure } from './failure.ts'
import type { IptablesPort } from './port.ts'

const port: IptablesPort = {
  run: () => Promise.reject(new Error('unused')),
  read: async (path) =>
    path.endsWith('_matches') ? 'owner\ntcp\n' : path.endsWith('_targets') ? 'REDIRECT\n' : undefined,
  find: () => undefined,
  resolve: (path) => path,
}

const input =
  '*nat\n-N EX\n-A EX -p tcp --dport 1 -m owner --uid-owner 1 -m set --match-set x src -j REDIRECT\nCOMMIT\n'

function classify(
  stderr: string,
  code: RunError['code'] = 'EXIT',
  exitCode: number | null = 1,
  { cause, files = {} }: { cause?: unknown; files?: Record<string, string> } = {},
) {
  const result = {
    ...{ command: 'iptables-restore', argv: ['iptables-restore'], exitCode, signal: null, stdout: '', stderr },
    ...{ durationMs: 60_000, timedOut: code === 'TIMEOUT', aborted: code === 'ABORTED' },
  }
  const error = new RunError(code, 'Command failed', result, { cause })
  const read = async (path: string) => files[path] ?? port.read(path)
  return failure(error, 'iptables-restore', 'ipv4', { ...port, read }, input)
}

describe('a failed program', () => {
  test.for<[string, string, RegExp]>([
    [
      'iptables-nft-restore: line 2 failed: Chain already exists.\n',
      'EXIT',
      /failed with exit code 1 at line 2 \("-N EX"\): line 2 failed: Chain already exists\.$/,
    ],
    [
      'iptables-nft-restore v1.8.9 (nf_tables): \nline 3: RULE_APPEND failed (Invalid argument): rule in chain EX\n',
      'EXIT',
      /at line 3 \("-A EX .*"\): line 3: RULE_APPEND failed \(Invalid argument\)/,
    ],
    [
      "iptables-restore v1.8.9 (legacy): Couldn't load target `NOPE':No such file or directory\n\nError occurred at line: 3\nTry `iptables-restore -h' or 'iptables-restore --help' for more information.\n",
      'EXIT',
      /Couldn't load target `NOPE'.*; NOPE is neither a chain nor an extension/,
    ],
    [
      "iptables-restore v1.8.9 (legacy): iptables-restore: unable to initialize table 'nat'\ncan't initialize iptables table `nat': Table does not exist (do you need to insmod?)\n",
      'NO_MODULE',
      /load the kernel module iptable_nat$/,
    ],
    [
      'Warning: Extension ipvs revision 0 not supported, missing kernel module?\niptables-restore: line 4 failed\n',
      'NO_MODULE',
      /load the kernel module xt_ipvs$/,
    ],
    [
      'iptables-restore v1.8.9 (nf_tables): Could not fetch rule set generation id: Invalid argument\n',
      'NO_MODULE',
      /load the kernel module nf_tables, or use the legacy back end$/,
    ],
    ['iptables-restore: line 4 failed\n', 'NO_MODULE', /line 4 failed; the kernel does not have xt_set$/],
    [
      'Another app is currently holding the xtables lock. Perhaps you want to use the -w option?\n',
      'LOCKED',
      /another iptables holds the lock; raise the option waitSeconds$/,
    ],
    [
      "Can't lock /x: Resource temporarily unavailable\nAnother app is currently holding the xtables lock. Stopped waiting after 1s.\n",
      'LOCKED',
      /another iptables holds the lock; raise the option waitSeconds$/,
    ],
    [
      "Fatal: can't open lock file /run/xtables.lock: Permission denied\n",
      'DENIED',
      /the lock \/run\/xtables\.lock must be a file that can be written; see XTABLES_LOCKFILE$/,
    ],
    ["Fatal: can't open lock file /no/lock: No such file or directory\n", 'EXIT', /see XTABLES_LOCKFILE$/],
    [
      'iptables-nft-restore v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)\n',
      'DENIED',
      /this needs CAP_NET_ADMIN: be root, and in the user namespace that owns the network namespace/,
    ],
    [
      "iptables-restore v1.8.9 (legacy): iptables-restore: unable to initialize table 'nat'\nError occurred at line: 1\n",
      'NO_MODULE',
      /load the kernel module iptable_nat$/,
    ],
    [
      'ip6tables-restore v1.8.9 (legacy): getsockopt failed strangely: Address family not supported by protocol\n',
      'NO_MODULE',
      /the kernel has no ipv4 here; leave it out of the option families$/,
    ],
    [
      'Warning: Extension LED revision 0 not supported, missing kernel module?\niptables-nft-restore: line 2 failed: Chain already exists.\n',
      'EXIT',
      /line 2 failed: Chain already exists\.$/,
    ],
    [
      'iptables-nft-restore v1.8.9 (nf_tables): \nline 3: RULE_APPEND failed (No such file or directory): rule in chain EX\n',
      'NO_MODULE',
      /load the kernel modules nft_compat, xt_owner, xt_set, xt_REDIRECT, xt_tcpudp$/,
    ],
    ['', 'EXIT', /it printed no reason$/],
  ])('%j is %s', async ([stderr, code, message]) => {
    expect(await classify(stderr)).toMatchObject({ code, message: expect.stringMatching(message), stderr, input })
  })

  test('is a conflict if a new chain already exists, with or without a message of the program', async () => {
    expect((await classify('iptables-restore: line 2 failed\n')).conflict).toBe(true)
    expect((await classify('iptables-restore: line 3 failed\n')).conflict).toBe(false)
    expect((await classify('')).conflict).toBe(false)
  })

  test('refers to the kernel log if COMMIT fails without a reason and no module is missing', async () => {
    const prefix = '/proc/thread-self/net/ip_tables_'
    const files = { [`${prefix}matches`]: 'tcp\nudp\nowner\nset\n', [`${prefix}targets`]: 'REDIRECT\n' }
    const { message } = await classify('iptables-restore: line 4 failed\n', 'EXIT', 1, { files })
    expect(message).toMatch(/at line 4 \("COMMIT"\): line 4 failed; the kernel refused a rule of this table; its log/)
  })

  test.each([
    ['0000000000000000', /this needs CAP_NET_ADMIN/],
    ['000001ffffffdfff', /the legacy back end needs CAP_NET_RAW besides CAP_NET_ADMIN$/],
  ])('without a capability (%s) does not name a kernel module', async (effective, message) => {
    const files = { '/proc/thread-self/status': `Name:\tx\nCapEff:\t${effective}\n` }
    const stderr = "iptables-restore v1.8.9 (legacy): iptables-restore: unable to initialize table 'nat'\n"
    const error = await classify(stderr, 'EXIT', 2, { files })
    expect(error).toMatchObject({ code: 'DENIED', message: expect.stringMatching(message) })
  })

  test('in a user namespace names both possible causes: a missing module, or a missing privilege', async () => {
    const files = { '/proc/thread-self/uid_map': '0 1000 1\n' }
    const stderr = "iptables-restore v1.8.9 (legacy): iptables-restore: unable to initialize table 'nat'\n"
    const { message } = await classify(stderr, 'EXIT', 2, { files })
    expect(message).toMatch(/load the kernel module iptable_nat; if it is loaded, this needs CAP_NET_ADMIN/)
  })

  test.for<[string, boolean]>([
    ['         0          0 4294967295\n', false],
    ['         0       1000          1\n', true],
  ])('with an owner and the uid_map %j: names the map %s', async ([map, blamed]) => {
    const files = { '/proc/thread-self/uid_map': map }
    const stderr = 'line 3: RULE_APPEND failed (Invalid argument): rule in chain EX\n'
    const { message } = await classify(stderr, 'EXIT', 4, { files })
    expect(message.includes('in a user namespace only users and groups that it maps')).toBe(blamed)
  })

  test('to start names the package', async () => {
    const error = await classify('', 'NOT_EXECUTABLE', null)
    expect(error).toMatchObject({ code: 'NO_BINARY', message: expect.stringContaining('package iptables'), ran: false })
  })

  test.each(['EACCES', 'EPERM'])(
    'to start for lack of permission (%s) says so, and names no package',
    async (errno) => {
      const cause = Object.assign(new Error(`spawn ${errno}`), { code: errno })
      const error = await classify('', 'NOT_EXECUTABLE', null, { cause })
      expect(error).toMatchObject({ code: 'DENIED', ran: false })
      expect(error.message).toMatch(new RegExp(`^iptables-restore is there, but may not be started \\(${errno}\\)`))
      expect(error.message).not.toContain('package')
    },
  )

  test('by a signal keeps the reason as its code', async () => {
    expect(await classify('', 'ABORTED', null)).toMatchObject({ code: 'ABORTED', line: undefined, ran: true })
    expect((await classify('', 'TIMEOUT', null)).message).toBe('iptables-restore did not end within 60000 ms')
  })

  test('to start says why, and not how it ended', async () => {
    const why = new Error('EMFILE: too many open files, socketpair')
    const error = await classify('', 'SPAWN', null, { cause: why })
    expect(error).toMatchObject({ code: 'EXIT', ran: false })
    expect(error.message).toBe('iptables-restore could not be started: EMFILE: too many open files, socketpair')
  })
})
