import { NetnsError } from '@cni/netns'
import { type Attribute, be32, channelFrom, cString, encodeMessage, type NetlinkSocket, u32 } from '@cni/netns/netlink'
import { SysError } from '@cni/netns/sys'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSetError } from '../errors.ts'
import { ipset } from '../ipset.ts'
import { fakeIpset } from '../testing/index.ts'

type Answer = (asked: Buffer) => Buffer

const NLMSG_ERROR = 2
const NLMSG_DONE = 3
const NLM_F_MULTI = 2
const NLM_F_DUMP_INTR = 0x10
const CMD_PROTOCOL = 0x601

const spec = { type: 'hash:ip', family: 'ipv4' } as const

/** Fake kernel behind a netlink socket: returns a list of answers for each message. */
function kernel(answersTo: (asked: Buffer) => readonly Answer[]) {
  const waiting: Buffer[] = []
  const asked: Buffer[] = []
  let closed = 0
  const close = () => void closed++
  const socket: NetlinkSocket = {
    fd: 7,
    send(bytes) {
      const datagram = Buffer.from(bytes)
      asked.push(datagram)
      waiting.push(...answersTo(datagram).map((answer) => answer(datagram)))
    },
    receive: () => waiting.shift() ?? 'none',
    close,
    leave: close,
    [Symbol.dispose]: close,
  }
  return { asked, isClosed: () => closed === 1, netlink: () => channelFrom(socket) }
}

const reply =
  (type: number, flags: number, fixed: Uint8Array, attributes: readonly Attribute[] = []): Answer =>
  (asked) => {
    const bytes = encodeMessage({ type, flags, fixed, attributes })
    asked.copy(bytes, 8, 8, 12)
    return bytes
  }
const ack = (errno = 0): Answer => reply(NLMSG_ERROR, 0x100, Buffer.concat([u32(-errno), new Uint8Array(16)]))
const done = reply(NLMSG_DONE, NLM_F_MULTI, u32(0))
const header = (flags = NLM_F_MULTI) =>
  reply(0x607, flags, new Uint8Array(4), [
    [2, cString('pods')],
    [3, cString('hash:ip')],
    [5, Uint8Array.of(2)],
    [7, [[19, be32(65536)]]],
  ])
const typeOf = (asked: Buffer) => asked.readUInt16LE(4)

/** An `ipset` with this netlink channel and with fake programs. */
function over(netlink: () => ReturnType<typeof channelFrom>, programs?: 'auto' | 'always' | 'never') {
  const fake = fakeIpset()
  const sets = ipset('host', { port: { ...fake.port, netlink }, programs })
  return { fake, sets, pods: sets.set('pods', spec) }
}

describe('a refusal of the kernel', () => {
  test.for<[number, string, string]>([
    [1, 'EXIT', 'Create set pods: EPERM, CAP_NET_ADMIN in the namespace is needed'],
    [12, 'EXIT', 'Create set pods: ENOMEM, the kernel has not enough memory'],
    [4098, 'NO_KERNEL', 'Create set pods: error 4098, the kernel lacks the module of this type of set'],
    [4099, 'FULL', 'the kernel has no room for another set'],
    [4711, 'EXIT', 'Create set pods: error 4711'],
  ])('with error %d has the code %s and a sentence', async ([errno, code, words]) => {
    const there = kernel(() => [ack(errno)])
    const { pods, fake } = over(there.netlink)
    await expect(pods.create()).rejects.toMatchObject({
      name: 'SetError',
      code,
      message: expect.stringContaining(words),
    })
    expect([there.isClosed(), fake.commands]).toEqual([true, []])
  })

  test('names the module if the kernel has no ip_set, otherwise the errno', async () => {
    const without = over(kernel(() => [ack(22)]).netlink)
    await expect(without.pods.flush()).rejects.toMatchObject({
      code: 'NO_KERNEL',
      message: /load the kernel module ip_set/,
    })
    await expect(without.sets.list()).rejects.toMatchObject({ code: 'NO_KERNEL' })
    const protocol = reply(CMD_PROTOCOL, 0, new Uint8Array(4))
    const other = over(kernel((asked) => [typeOf(asked) === CMD_PROTOCOL ? protocol : ack(22)]).netlink)
    await expect(other.pods.flush()).rejects.toMatchObject({ code: 'EXIT', message: 'Flush set pods: EINVAL' })
  })

  test('is an error without waiting if there is no answer, or an invalid one', async () => {
    await expect(over(kernel(() => []).netlink).pods.create()).rejects.toMatchObject({
      code: 'EXIT',
      message: /EAGAIN/,
    })
    const lying = () => Buffer.from([200, 0, 0, 0])
    await expect(over(kernel(() => [lying]).netlink).pods.list()).rejects.toMatchObject({ code: 'PARSE' })
  })
})

test('a list that changes during the read is read again', async () => {
  const answers = [
    [header(NLM_F_MULTI | NLM_F_DUMP_INTR), done],
    [header(), header(), done],
  ]
  const there = kernel(() => answers.shift() ?? [])
  expect(await over(there.netlink).sets.list()).toHaveLength(2)
  expect(there.asked).toHaveLength(2)
})

test('any answer of the kernel gives a list or a SetError', async () => {
  const attribute = fc.tuple(fc.nat(30), fc.uint8Array({ maxLength: 12 }))
  const nested = fc.tuple(fc.nat(30), fc.array(attribute, { maxLength: 6 }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(attribute, nested), { maxLength: 6 }),
      fc.boolean(),
      async (attributes, begin) => {
        const more = reply(0x607, NLM_F_MULTI, new Uint8Array(4), attributes)
        const { pods } = over(kernel(() => [...(begin ? [header()] : []), more, done]).netlink)
        const outcome = await pods.list().catch((error: unknown) => error)
        expect(Array.isArray(outcome) || isSetError(outcome), String(outcome)).toBe(true)
      },
    ),
    { numRuns: 2000 },
  )
})

test('any refusal gives a SetError with the reason, and with the entry if the kernel names one', async () => {
  const type = reply(0x60c, 0, new Uint8Array(4), [[3, cString('hash:ip')]])
  const refusal =
    (inside: (asked: Buffer) => Uint8Array): Answer =>
    (asked) => {
      const message = inside(asked)
      return reply(NLMSG_ERROR, 0, Buffer.concat([u32(-4352), asked.subarray(0, 16), message]))(asked)
    }
  const added = (inside: (asked: Buffer) => Uint8Array) =>
    over(kernel((asked) => [typeOf(asked) === 0x60c ? type : refusal(inside)]).netlink)
      .pods.add(['10.0.0.1', '10.0.0.2'])
      .catch((error: unknown) => error)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (bytes) => {
      expect(await added(() => bytes)).toMatchObject({
        code: 'FULL',
        message: expect.stringMatching(/^Add .* to set pods: /),
      })
    }),
    { numRuns: 500 },
  )
  const numbered = (number: number) => (asked: Buffer) => {
    const message = Buffer.from(asked.subarray(16))
    // Offset after nfgenmsg, the protocol, the name and an attribute header.
    message.writeUInt32LE(number, 4 + 8 + 12 + 4)
    return message
  }
  expect(await added(numbered(2))).toMatchObject({ message: expect.stringContaining('Add 10.0.0.2 to set pods') })
  expect(await added(numbered(0))).toMatchObject({ message: expect.stringContaining('Add 2 entries to set pods') })
})

describe('programs', () => {
  const reasons = [new NetnsError('NO_FFI', 'No system calls'), new SysError('socket', 'EPROTONOSUPPORT', 93, '')]

  test.for(reasons)('are used if netlink is not available ($code), after one attempt', async (reason) => {
    let opened = 0
    const { pods, fake } = over(() => {
      opened++
      throw reason
    })
    await pods.create()
    await pods.add('10.0.0.1')
    expect(await pods.list()).toEqual([{ entry: '10.0.0.1' }])
    expect([opened, fake.commands.length]).toEqual([1, 3])
  })

  test.for(reasons)("are not used with 'never': without netlink ($code) the call throws", async (reason) => {
    const { pods, fake } = over(() => {
      throw reason
    }, 'never')
    await expect(pods.create()).rejects.toMatchObject({ code: 'NO_NETLINK', cause: reason })
    expect(fake.commands).toEqual([])
  })

  test("are used with 'always' without opening netlink", async () => {
    const { pods, fake } = over(() => {
      throw new Error('opened')
    }, 'always')
    await pods.create()
    expect(fake.commands).toHaveLength(1)
  })

  test('are not used if the namespace cannot be entered: the call throws', async () => {
    const { pods, fake } = over(() => {
      throw new NetnsError('CLOSED', 'the namespace is closed')
    })
    await expect(pods.create()).rejects.toMatchObject({ code: 'CLOSED' })
    expect(fake.commands).toEqual([])
  })

  test("an unknown value of programs, or 'never' on a port without netlink, throws at once", () => {
    // @ts-expect-error: outside values have no types
    expect(() => ipset('host', { programs: 'maybe' })).toThrow("programs is 'auto', 'always' or 'never', not \"maybe\"")
    expect(() => ipset('host', { port: fakeIpset().port, programs: 'never' })).toThrow('the port has no netlink')
  })
})
