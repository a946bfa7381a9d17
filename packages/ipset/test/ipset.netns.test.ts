import { isRunError } from '@cni/host'
import { iptables, ruleset } from '@cni/iptables'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSetError } from '../src/errors.ts'
import { ipset } from '../src/ipset.ts'
import { anyContent } from './arbitrary-sets.ts'
import { ipsetSuite } from './ipset.suite.ts'

/** Option `programs` for writing a set, and for reading it. */
const modes = [
  ['always', 'always'],
  ['never', 'never'],
  ['always', 'never'],
  ['never', 'always'],
] as const

describe.each(modes)("the kernel's sets, written with programs: %j and read with programs: %j", (writing, reading) => {
  ipsetSuite(async () => {
    const pod = await tempNetns()
    const written = ipset(pod, { programs: writing })
    const read = ipset(pod, { programs: reading })
    return {
      ...written,
      list: read.list,
      set(name, spec) {
        const { list, get, diff, test, deleteByComment } = read.set(name, spec)
        return { ...written.set(name, spec), list, get, diff, test, deleteByComment }
      },
      [Symbol.asyncDispose]: () => pod[Symbol.asyncDispose](),
    }
  })
})

const each = test.for(['always', 'never'] as const)

each('every set is read as it was written (programs: %j)', { timeout: 300_000 }, async (programs) => {
  await using pod = await tempNetns()
  const sets = ipset(pod, { programs })
  const cases = Number(process.env.CNI_SET_CASES ?? 25)
  let seen = 0
  await fc.assert(
    fc.asyncProperty(anyContent, async ({ spec, entries }) => {
      const set = sets.set('any', spec)
      await set.replace(entries)
      try {
        seen += entries.length
        const diff = await set.diff(entries)
        expect(diff, JSON.stringify([spec, entries])).toEqual({ missing: [], unexpected: [], changed: [] })
        expect((await set.replace(entries)).plan).toBe('unchanged')
        const there = await set.list()
        // Entries that were read can be written, without the kernel's counters.
        const again = there.map(({ packets: _p, bytes: _b, ...entry }) => entry)
        await set.replace([], { by: 'change' })
        await set.replace(again, { by: 'change' })
        expect(await set.diff(entries)).toEqual({ missing: [], unexpected: [], changed: [] })
      } finally {
        await set.destroy()
      }
    }),
    { numRuns: cases },
  )
  if (cases >= 25) expect(seen).toBeGreaterThan(40)
})

each('a comment is stored unchanged, or refused if it is an option of ipset (programs: %j)', async (programs) => {
  await using pod = await tempNetns()
  const set = ipset(pod, { programs }).set('pods', { type: 'hash:ip', family: 'ipv4', comment: true })
  await set.create()
  const options = ['-q', '-exist', '--exist', '-!', '-o', '-output', '-f', '-file', '-terse', '-name', '-sorted']
  for (const comment of [...options, '-', '- a', '-q x', "it's", '\\', '#', 'a  b ', 'timeout']) {
    const error = await set.add({ entry: '10.0.0.1', comment }).then(undefined, (reason: unknown) => reason)
    if (options.includes(comment)) expect(error).toMatchObject({ code: 'INVALID' })
    else expect([error, await set.get('10.0.0.1')]).toEqual([undefined, { entry: '10.0.0.1', comment }])
  }
})

each('a comment of another program with a line feed stays a comment (programs: %j)', async (programs) => {
  await using pod = await tempNetns()
  const set = ipset(pod, { programs }).set('pods', { type: 'hash:ip', family: 'ipv4', comment: true })
  await set.create()
  const comment = 'x\nadd pods 10.9.9.9\ncreate evil hash:ip'
  await netns.exec(pod, ['ipset', 'add', 'pods', '10.0.0.1', 'comment', comment])
  expect(await set.list()).toEqual([{ entry: '10.0.0.1', comment }])
  await set.replace('10.0.0.2', { by: 'change' })
  expect(await set.list()).toEqual([{ entry: '10.0.0.2' }])
})

each('a set in use by a rule can be replaced, not destroyed (programs: %j)', async (programs) => {
  await using pod = await tempNetns()
  const set = ipset(pod, { programs }).set('blocked', { type: 'hash:ip', family: 'ipv4' })
  await set.replace('127.0.0.2')
  const rules = ruleset({ filter: [] }, (t) => [
    t.filter.on('OUTPUT').only('ipv4').raw('-m', 'set', '--match-set', set.name, 'dst').drop(),
  ])
  await iptables(pod).apply(rules)
  const blocked = async (ip: string) =>
    // A packet that OUTPUT drops makes the write fail with EPERM.
    netns.exec(pod, ['bash', '-c', 'echo > "/dev/udp/$0/9"', ip]).then(
      () => false,
      (error: unknown) => isRunError(error) && error.stderr.includes('not permitted'),
    )
  expect([await blocked('127.0.0.2'), await blocked('127.0.0.3')]).toEqual([true, false])
  await set.replace('127.0.0.3')
  expect([await blocked('127.0.0.2'), await blocked('127.0.0.3')]).toEqual([false, true])
  await expect(set.destroy()).rejects.toMatchObject({ code: 'IN_USE' })
  // iptables-nft: the kernel frees a deleted rule later, and the set is in use until then.
  await iptables(pod, { backend: 'iptables-nft' }).remove(rules)
  await set.destroy()
})

each('a set whose type the kernel lacks throws NO_KERNEL, or works (programs: %j)', async (programs) => {
  await using pod = await tempNetns()
  const set = ipset(pod, { programs }).set('macs', { type: 'hash:mac', comment: true })
  const desired = { entry: '02:00:00:00:00:AB', comment: 'x' }
  const outcome = await set.replace(desired).then(
    () => set.list(),
    (error: unknown) => (isSetError(error) ? error.code : error),
  )
  expect(['NO_KERNEL', [{ ...desired, entry: '02:00:00:00:00:ab' }]]).toContainEqual(outcome)
})

each('an aborted replace leaves no set (programs: %j)', async (programs) => {
  await using pod = await tempNetns()
  const signal = AbortSignal.abort()
  const set = ipset({ netns: pod, signal }, { programs }).set('pods', { type: 'hash:ip', family: 'ipv4' })
  await expect(set.replace('10.0.0.1')).rejects.toMatchObject({ code: 'ABORTED' })
  const controller = new AbortController()
  const many = Array.from({ length: 60_000 }, (_, i) => `10.1.${i >> 8}.${i & 255}`)
  const running = ipset({ netns: pod, signal: controller.signal }, { programs })
    .set('pods', { type: 'hash:ip', family: 'ipv4' })
    .replace(many, { compare: false })
  setImmediate(() => controller.abort())
  await expect(running).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await ipset(pod).list()).toEqual([])
})
