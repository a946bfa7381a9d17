import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { crud } from '../src/crud/crud.ts'
import { iptables } from '../src/iptables.ts'
import { ruleset } from '../src/rules/ruleset.ts'
import type { IptablesPort } from '../src/run/port.ts'
import { netnsPort } from '../src/session/netns-port.ts'

/** flock(2) */
const LOCK_EX = 2

const rules = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('EX').uid(1337).return()])
const fails = (promise: Promise<unknown>, code: string, message: RegExp) =>
  expect(promise).rejects.toMatchObject({ name: 'IptablesError', code, message: expect.stringMatching(message) })

/** Real port that prefixes each program, for example with `unshare` or `setpriv`. */
function wrapped(pod: Netns, ...before: [string, ...string[]]): IptablesPort {
  const port = netnsPort({ netns: pod }, { shield: false })
  return { ...port, run: (argv, options) => port.run([...before, ...argv], options) }
}

describe.each(['iptables-nft', 'iptables-legacy'] as const)('on %s', (backend) => {
  test('a match that the kernel lacks is an error that names the module', async () => {
    await using pod = await tempNetns()
    // Every iptables has this match, but few minimal kernels. The test checks nothing on kernels that have it.
    const ipvs = ruleset({ filter: ['EX'] }, (t) => [t.filter.on('EX').raw('-m', 'ipvs', '--ipvs').return()])
    const error: unknown = await iptables(pod, { backend })
      .apply(ipvs)
      .catch((each: unknown) => each)
    if (error instanceof Error) expect(error).toMatchObject({ code: 'NO_MODULE', message: /xt_ipvs$/ })
    expect(await crud(pod, { backend }).listRules('filter', 'EX')).toHaveLength(error instanceof Error ? 0 : 2)
  })

  test('a match that iptables lacks is an error that names it', async () => {
    await using pod = await tempNetns()
    const unknown = ruleset({ filter: ['EX'] }, (t) => [t.filter.on('EX').raw('-m', 'nosuch', '--x').return()])
    await fails(iptables(pod, { backend }).apply(unknown), 'EXIT', /nosuch is neither a chain nor an extension/)
  })

  test('in a user namespace that does not own the network namespace, the error names the privilege', async () => {
    await using pod = await tempNetns()
    const port = wrapped(pod, 'unshare', '--user', '--map-root-user')
    await fails(
      iptables(pod, { backend, port, programs: 'always' }).apply(rules),
      backend === 'iptables-nft' ? 'DENIED' : 'NO_MODULE',
      /tables/,
    )
    expect(await crud(pod, { backend }).listRules('nat', 'EX')).toEqual([])
  })

  test('in a user namespace of its own everything works, except unmapped users', async () => {
    await using pod = await tempNetns()
    const port = { ...wrapped(pod, 'unshare', '--user', '--map-root-user', '--net'), read: userFiles(pod) }
    await fails(
      iptables(pod, { backend, port, programs: 'always' }).apply(rules),
      'EXIT',
      /only users and groups that it maps/,
    )
    const plain = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('EX').uid(0).return()])
    expect(await iptables(pod, { backend, port, programs: 'always' }).apply(plain)).toMatchObject({ plan: 'fresh' })
  })
})

test('without CAP_NET_RAW the error says that the legacy back end needs it', async () => {
  await using pod = await tempNetns()
  const without = ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw'] as const
  const { read } = netnsPort({ netns: pod }, { shield: false })
  const ours = await read('/proc/thread-self/status')
  const status = ours?.replace(/^CapEff:.*$/m, 'CapEff:\t000001ffffffdfff')
  const port = {
    ...wrapped(pod, ...without),
    read: async (path: string) => (/status$/.test(path) ? status : read(path)),
  }
  await fails(iptables(pod, { backend: 'iptables-legacy', port }).apply(rules), 'DENIED', /needs CAP_NET_RAW/)
  expect(await iptables(pod, { backend: 'iptables-nft', port }).apply(rules)).toMatchObject({ plan: 'fresh' })
})

test('a kernel file that only root may read is an error that names the privilege', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-read-'))
  const path = join(folder, 'ip_tables_names')
  writeFileSync(path, 'nat\n', { mode: 0o600 })
  try {
    process.seteuid?.(65_534)
    await fails(netnsPort({ netns: 'host' }, { shield: false }).read(path), 'DENIED', /cannot be read .*CAP_NET_ADMIN/)
  } finally {
    process.seteuid?.(0)
    rmSync(folder, { recursive: true })
  }
})

/** The user namespace ends with each program, so its uid_map cannot be read afterwards. */
function userFiles(pod: Netns): IptablesPort['read'] {
  const { read } = netnsPort({ netns: pod }, { shield: false })
  return async (path) => (path.endsWith('/uid_map') ? '0 1000 1\n' : read(path))
}

describe('programs', () => {
  const { PATH } = process.env
  afterEach(() => {
    process.env.PATH = PATH
  })

  test('are not reported as a missing package if they may not be started', async () => {
    await using pod = await tempNetns()
    const folder = mkdtempSync(join(tmpdir(), 'cni-denied-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    // Its interpreter is not a program: the kernel then returns the same error as for a start that a security module
    // forbids.
    writeFileSync(join(folder, 'iptables-nft-restore'), '#!/etc/passwd\n', { mode: 0o755 })
    process.env.PATH = folder
    await fails(
      iptables(pod, { programs: 'always' }).apply(rules),
      'DENIED',
      /^iptables-nft-restore .*may not be started \(EACCES\); do AppArmor/,
    )
  })

  test('are named with their package if they are missing in PATH', async () => {
    await using pod = await tempNetns()
    process.env.PATH = '/nonexistent'
    await fails(
      iptables(pod, { programs: 'always' }).apply(rules),
      'NO_BINARY',
      /iptables-restore is not installed.*install the package iptables/,
    )
    await fails(
      iptables(pod, { backend: 'iptables-legacy' }).snapshot(),
      'NO_BINARY',
      /iptables-legacy-restore.*package iptables/,
    )
  })
})

describe('the lock of the legacy back end', () => {
  const { XTABLES_LOCKFILE } = process.env
  afterEach(() => {
    if (XTABLES_LOCKFILE === undefined) delete process.env.XTABLES_LOCKFILE
    else process.env.XTABLES_LOCKFILE = XTABLES_LOCKFILE
  })

  test('throws LOCKED if another process holds it longer than waitSeconds, and writes nothing', async () => {
    await using pod = await tempNetns()
    const held = openSync(pod.path, 'r')
    try {
      loadSys().flock(held, LOCK_EX)
      const ipt = iptables(pod, { backend: 'iptables-legacy', waitSeconds: 1, families: ['ipv4'] })
      await fails(ipt.apply(rules), 'LOCKED', /another iptables holds the lock; raise the option waitSeconds/)
    } finally {
      closeSync(held)
    }
    const ipt = iptables(pod, { backend: 'iptables-legacy', waitSeconds: 1 })
    expect((await ipt.apply(rules)).plan).toBe('fresh')
  })

  test('is the file in XTABLES_LOCKFILE on the node; the error names a file that cannot be opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cni-lock-'))
    try {
      writeFileSync(join(folder, 'file'), '')
      process.env.XTABLES_LOCKFILE = join(folder, 'file', 'lock')
      await using pod = await tempNetns()
      await fails(iptables('host', inside(pod)).apply(rules), 'EXIT', /XTABLES_LOCKFILE$/)
      process.env.XTABLES_LOCKFILE = join(folder, 'lock')
      expect(await iptables('host', inside(pod)).apply(rules)).toMatchObject({ plan: 'fresh' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** Port of the node whose programs run in a namespace, with the environment of the node. */
function inside(pod: Netns) {
  const port = netnsPort({ netns: 'host' }, { shield: false })
  const run: IptablesPort['run'] = (argv, options) => port.run(['nsenter', `--net=${pod.path}`, ...argv], options)
  return { backend: 'iptables-legacy', port: { ...port, run } } as const
}
