import { isNetnsError } from '@cni/netns'
import { channelFrom, type NetlinkSocket } from '@cni/netns/netlink'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rules } from '../../test/random/arbitrary-expressions.ts'
import { fakeKernel } from '../testing/fake-kernel.ts'
import { Batch } from './batch/batch.ts'
import { addElements, addSet, elementsOf, setsOf } from './dumps/sets.ts'
import { restore, snapshot } from './dumps/snapshot.ts'
import { commits } from './events/commits.ts'
import { type Trace, traces } from './events/traces.ts'
import { decodeExpressions, encodeExpressions } from './expressions/expression.ts'
import { written } from './fields/writer.ts'
import { nftFrom } from './nft.ts'
import { isNftError } from './nft-error.ts'
import { decodeUserdata, encodeUserdata } from './userdata.ts'

const endsWell = <T>(act: () => T): T | undefined => {
  try {
    return act()
  } catch (error) {
    if (!isNetnsError(error) && !isNftError(error)) throw error
    return undefined
  }
}

const endsWellLater = async (act: () => Promise<unknown>): Promise<void> => {
  const outcome = await act().then(
    () => undefined,
    (error: unknown) => error,
  )
  endsWell(() => {
    if (outcome !== undefined) throw outcome
  })
}

test('a frozen expression, which is encoded once, has the same bytes as any other, also after its data changes', () => {
  fc.assert(
    fc.property(rules, (list) => {
      const frozen = list.map((each) => Object.freeze({ ...each }))
      encodeExpressions(frozen)
      expect(encodeExpressions(frozen)).toEqual(encodeExpressions(list))
    }),
  )
  const data = Uint8Array.of(6)
  const compared = [Object.freeze({ name: 'cmp', sreg: 1, op: 'eq', data } as const)]
  encodeExpressions(compared)
  data[0] = 17
  expect(decodeExpressions(encodeExpressions(compared))).toEqual([{ ...compared[0], data: Buffer.of(17) }])
})

test('encoded expressions decode to the same expressions', () => {
  fc.assert(
    fc.property(rules, (rule) => {
      const bytes = encodeExpressions(rule)
      expect(decodeExpressions(bytes)).toEqual(rule)
      expect(encodeExpressions(decodeExpressions(bytes)).equals(bytes)).toBe(true)
    }),
  )
})

/** Changes one byte, or removes the rest. */
const mutation = fc.record({
  at: fc.nat(400),
  to: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 4, 255)),
  cut: fc.boolean(),
  often: fc.integer({ min: 1, max: 5 }),
})
type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never

function mutate(bytes: Buffer, { at, to, cut }: Mutation): Buffer {
  const changed = Buffer.from(bytes)
  if (at >= bytes.length) return changed
  if (cut) return changed.subarray(0, at)
  changed[at] = to
  return changed
}

test('changed bytes of a rule decode or throw a named error; decoded expressions encode and decode the same', () => {
  fc.assert(
    fc.property(rules, mutation, (rule, change) => {
      const read = endsWell(() => decodeExpressions(mutate(encodeExpressions(rule), change)))
      if (read !== undefined) expect(decodeExpressions(encodeExpressions(read))).toEqual(read)
    }),
  )
})

test('any bytes decode as a rule and as user data, or throw a named error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (some) => {
      endsWell(() => decodeExpressions(Buffer.from(some)))
      decodeUserdata(Buffer.from(some))
    }),
  )
})

test('encoded user data decodes to the same entries', () => {
  const note = fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 20 }))
  fc.assert(
    fc.property(fc.array(note, { maxLength: 8 }), (notes) => {
      const read = decodeUserdata(Buffer.from(encodeUserdata(notes)))
      expect(read.map(([type, value]) => [type, [...value]])).toEqual(notes.map(([type, value]) => [type, [...value]]))
    }),
  )
})

const chain = { family: 'inet', table: 'ex', chain: 'c' } as const
const ports = { ...chain, set: 'ports', keyType: 13, keyLength: 2 }

function filled() {
  const kernel = fakeKernel()
  const batch = new Batch()
    .addTable({ ...chain, comment: 'a table' })
    .addChain({ ...chain, base: { type: 'filter', hook: 'output', priority: 0 } })
  kernel
    .open()
    .commit(
      addElements(addSet(batch, { ...ports, size: 3, concat: [2] }), ports, [
        { key: Uint8Array.of(0, 80), comment: 'http' },
      ]).addRule({ ...chain, expressions: [{ name: 'counter' }], comment: 'count' }),
    )
  return kernel
}

/** Socket of the fake kernel that changes every answer. */
function lying(socket: NetlinkSocket, changes: readonly Mutation[]): NetlinkSocket {
  let received = 0
  return {
    fd: socket.fd,
    send: (datagram) => socket.send(datagram),
    receive() {
      const next = socket.receive()
      const change = changes[received++ % changes.length]
      return change === undefined || typeof next === 'string' || received % change.often > 0
        ? next
        : mutate(Buffer.from(next), change)
    },
    close: () => socket.close(),
    leave: () => socket.leave(),
    [Symbol.dispose]: () => socket.close(),
  }
}

test('for any answer of the kernel, a request returns or throws a named error', async () => {
  const kernel = filled()
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (changes) => {
      const nft = nftFrom(channelFrom(lying(kernel.nfnetlink(), changes)))
      endsWell(() => nft.generation())
      endsWell(() => nft.tables())
      endsWell(() => nft.chains())
      endsWell(() => nft.rules().map(({ expressions }) => expressions))
      endsWell(() => setsOf(nft))
      endsWell(() => elementsOf(nft, ports))
      await endsWellLater(() => nft.read(() => nft.rules(), { timeoutMs: 0 }))
      endsWell(() => restore(new Batch(), snapshot(nft)).bytes())
      endsWell(() => nft.check(new Batch().addTable(chain, { exclusive: true })))
      await endsWellLater(() => nft.transact((batch) => batch.addTable(chain, { exclusive: true }), { timeoutMs: 0 }))
      nft.close()
    }),
  )
})

/** Trace of a packet at a rule with a jump. */
const traced = written((writer) => {
  const at = writer.begin((10 << 8) | 17, 0, 2)
  writer.text(1, 'ex')
  writer.text(2, 'c')
  writer.u64(3, 7n)
  writer.u32(4, 3)
  const verdict = writer.open(5)
  writer.u32(1, -3)
  writer.text(2, 'sub')
  writer.close(verdict)
  writer.u32(6, 4711)
  writer.bytes(8, new Uint8Array(20))
  writer.u32(15, 2)
  writer.end(at)
})

const telling = (datagram: Buffer): NetlinkSocket => {
  const waiting: (Buffer | 'lost')[] = [datagram, 'lost', Buffer.from(traced)]
  const nothing = () => {}
  const end = { close: nothing, leave: nothing, [Symbol.dispose]: nothing }
  return { fd: -1, send: nothing, receive: () => waiting.shift() ?? 'none', ...end }
}

test('for any message of the kernel, traces yields steps or throws a named error', async () => {
  const whole = { family: 'ip', table: 'ex', chain: 'c', id: 4711, step: 'rule', handle: 7n } as const
  await fc.assert(
    fc.asyncProperty(mutation, async (change) => {
      const found: Trace[] = []
      try {
        const signal = AbortSignal.timeout(20)
        for await (const trace of traces(telling(mutate(traced, change)), { signal, interval: 1 })) found.push(trace)
        expect(found.slice(-2)).toMatchObject([
          { step: 'lost' },
          { ...whole, verdict: { verdict: 'jump', chain: 'sub' }, packet: { protocol: 2 } },
        ])
      } catch (error) {
        if (!isNetnsError(error)) throw error
        expect(error.code).toBe('PROTOCOL')
      }
    }),
    { numRuns: 40 },
  )
})

test('for any message of the kernel, commits yields events or throws a named error', async () => {
  const kernel = fakeKernel()
  const nft = kernel.open()
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (changes) => {
      using socket = kernel.nfnetlink({ events: true })
      nft.commit(
        new Batch()
          .addTable(chain)
          .addChain(chain)
          .addRule({ ...chain, expressions: [{ name: 'counter' }] }),
      )
      nft.commit(new Batch().deleteTable(chain))
      const signal = AbortSignal.timeout(20)
      try {
        for await (const { lost } of commits(lying(socket, changes), { signal, interval: 1 })) expect(lost).toBe(false)
      } catch (error) {
        if (!isNetnsError(error)) throw error
        expect(error.code).toBe('PROTOCOL')
      }
    }),
    { numRuns: 40 },
  )
})
