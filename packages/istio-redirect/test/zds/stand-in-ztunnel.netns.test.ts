import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { startZtunnel, type Ztunnel, type ZtunnelBehaviour } from '@cni/istio-redirect/testing/node'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { encodeRequest } from '../../src/zds/wire.ts'
import { type RawAgent, type RawAgentConnection, rawAgent } from './raw-agent.ts'

const patience = { timeout: 20_000 }
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const workload = { name: 'p1', namespace: 'amb', serviceAccount: 'sa1' }

const add = (uid: string): Uint8Array => encodeRequest({ type: 'add', uid, workload })
const del = (uid: string): Uint8Array => encodeRequest({ type: 'del', uid })
const keep = (uid: string): Uint8Array => encodeRequest({ type: 'keep', uid })
const snapshotSent = encodeRequest({ type: 'snapshotSent' })

/** Who listens in a pod, as `ss` prints it. */
async function listeners(pod: Netns): Promise<string[]> {
  const { stdout } = await netns.exec(pod, ['ss', '-Hlntu'])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/))
    .map(([protocol, , , , address]) => `${protocol} ${address}`)
    .toSorted()
}

/** Those of a pod that was taken. */
const all = [
  'tcp *:15001',
  'tcp *:15006',
  'tcp *:15008',
  'tcp 127.0.0.1:15053',
  'tcp [::1]:15053',
  'udp 127.0.0.1:15053',
  'udp [::1]:15053',
]

/** A stand-in that has connected, and is told of no pod yet. */
async function connected(behaviour: ZtunnelBehaviour = {}) {
  const stack = new AsyncDisposableStack()
  const agent: RawAgent = stack.use(rawAgent())
  const ztunnel: Ztunnel = stack.use(startZtunnel({ path: agent.path, behaviour }))
  const connection: RawAgentConnection = await agent.accepted()
  return { agent, ztunnel, connection, pod: () => podOf(stack), [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
const podOf = async (stack: AsyncDisposableStack): Promise<Netns> => stack.use(await tempNetns())

describe('a stand-in for ztunnel', () => {
  test('is ready when it was told that these were all pods, and not while the agent is away', async () => {
    await using it = await connected()
    expect(it.ztunnel.ready).toBe(false)
    expect(await it.connection.ask(snapshotSent)).toBe('')
    expect(it.ztunnel.ready).toBe(true)
    it.connection.close()
    await expect.poll(() => it.ztunnel.ready, patience).toBe(false)
    const again = await it.agent.accepted()
    expect(await again.ask(snapshotSent)).toBe('')
    expect(it.ztunnel.ready).toBe(true)
  })

  test('listens in a pod of the snapshot before that is over, and in one that comes later', async () => {
    await using it = await connected()
    const [first, later] = [await it.pod(), await it.pod()]
    expect(await it.connection.ask(add('first'), [first.fd])).toBe('')
    expect(await listeners(first)).toEqual(all)
    expect(it.ztunnel.ready).toBe(false)
    expect(await it.connection.ask(snapshotSent)).toBe('')
    expect(await it.connection.ask(add('later'), [later.fd])).toBe('')
    expect(await listeners(later)).toEqual(all)
    expect([...it.ztunnel.pods.keys()]).toEqual(['first', 'later'])
  })

  test('takes a pod that it has again, and moves with it to another namespace', async () => {
    await using it = await connected()
    const [before, after] = [await it.pod(), await it.pod()]
    for (const namespace of [before, before, after]) {
      expect(await it.connection.ask(add('web'), [namespace.fd])).toBe('')
    }
    expect(await listeners(before)).toEqual([])
    expect(await listeners(after)).toEqual(all)
  })

  test('refuses a pod in which a port is taken, or that is no namespace, and stays', async () => {
    await using it = await connected()
    const pod = await it.pod()
    const spoiler = netns.run(pod, () => startBlocker())
    try {
      await expect.poll(() => listeners(pod), patience).toEqual(['tcp *:15006'])
      expect(await it.connection.ask(add('web'), [pod.fd])).toMatch(
        /^failure to start proxy : Bind\(\[::\]:15006, Os \{ code: 98, kind: AddrInUse, /,
      )
      expect(await listeners(pod)).toEqual(['tcp *:15006'])
    } finally {
      await spoiler[Symbol.asyncDispose]()
    }
    using file = openFile('/dev/null')
    expect(await it.connection.ask(add('file'), [file.fd])).toMatch(
      /^failure to start proxy : Bind\(127\.0\.0\.1:15053, Os \{ code: 22, /,
    )
    expect(await it.connection.ask(snapshotSent)).toBe('')
    expect(it.ztunnel.ready).toBe(true)
    // It tries again when it is told again.
    expect(await it.connection.ask(add('web'), [pod.fd])).toBe('')
    expect(await listeners(pod)).toEqual(all)
  })

  test('leaves a pod that is gone, and says yes to one that it never had', async () => {
    await using it = await connected()
    const pod = await it.pod()
    await it.connection.ask(snapshotSent)
    await it.connection.ask(add('web'), [pod.fd])
    expect(await it.connection.ask(del('web'))).toBe('')
    expect(await listeners(pod)).toEqual([])
    expect(await it.connection.ask(del('web'))).toBe('')
  })

  test('keeps in a snapshot what it is told to keep, known or not, and leaves what is not mentioned', async () => {
    await using it = await connected()
    const [kept, left] = [await it.pod(), await it.pod()]
    await it.connection.ask(add('kept'), [kept.fd])
    await it.connection.ask(add('left'), [left.fd])
    await it.connection.ask(snapshotSent)
    it.connection.close()
    const again = await it.agent.accepted()
    // Whoever is enrolled is served while the agent is away.
    expect(await listeners(left)).toEqual(all)
    expect(await again.ask(keep('kept'))).toBe('')
    expect(await again.ask(keep('nobody'))).toBe('')
    expect(await listeners(left)).toEqual(all)
    expect(await again.ask(snapshotSent)).toBe('')
    expect([await listeners(kept), await listeners(left)]).toEqual([all, []])
    expect([...it.ztunnel.pods.keys()]).toEqual(['kept'])
  })

  test.each([
    ['a pod to keep after the snapshot', keep('web'), 'pod keep received after snapshot'],
    ['a second end of the snapshot', snapshotSent, 'pod snapshot received already'],
    ['a pod of which it is not told who it is', hex('0a03 0a0175'), 'workload_info is required but not present'],
  ])('ends after %s', async (_, message, what) => {
    await using it = await connected()
    const pod = await it.pod()
    await it.connection.ask(add('first'), [pod.fd])
    await it.connection.ask(snapshotSent)
    const fds = message[0] === 0x0a ? [pod.fd] : []
    expect(await it.connection.ask(message, fds)).toBe(`failure to process message : ProtocolError("${what}")`)
    expect(await it.connection.answer()).toBeUndefined()
    expect(await it.ztunnel.ended).toBe(1)
    expect(await listeners(pod)).toEqual([])
  })

  test.each([
    ['a pod without a namespace', add('web'), 0, 'No control message'],
    ['a pod with two namespaces', add('web'), 2, 'Expected 1 FD, got 2'],
    ['a namespace with a pod that is gone', del('web'), 1, 'Unexpected control message'],
    ['a namespace with a pod to keep', keep('web'), 1, 'Unexpected control message'],
    ['a namespace with the end of the snapshot', snapshotSent, 1, 'Unexpected control message'],
    ['what it cannot read', hex('ff'), 0, 'failed to decode Protobuf message: invalid varint'],
    ['what it does not know', hex('4200'), 0, 'no payload'],
    [
      'more than it reads',
      encodeRequest({ type: 'del', uid: 'x'.repeat(1100) }),
      0,
      'message is longer than 1024 bytes',
    ],
  ])('says no to %s, leaves, and comes again', async (_, message, count, what) => {
    await using it = await connected()
    const pod = await it.pod()
    const fds = Array.from({ length: count }, () => pod.fd)
    expect(await it.connection.ask(message, fds)).toBe(`failure to read message : ${what}`)
    expect(await it.connection.answer()).toBeUndefined()
    const again = await it.agent.accepted()
    expect(await again.ask(snapshotSent)).toBe('')
    expect(it.ztunnel.ready).toBe(true)
  })

  test('that is asked to end leaves the agent at once, with 0; one that is killed says 137', async () => {
    await using it = await connected()
    const pod = await it.pod()
    await it.connection.ask(add('web'), [pod.fd])
    expect(await it.ztunnel.stop()).toBe(0)
    expect(await it.connection.answer()).toBeUndefined()
    expect(await listeners(pod)).toEqual([])
    const killed = startZtunnel({ path: it.agent.path })
    const connection = await it.agent.accepted()
    expect(await killed.kill()).toBe(137)
    expect(await connection.answer()).toBeUndefined()
  })
})

describe('a stand-in that misbehaves', () => {
  const told: readonly (readonly [string, ZtunnelBehaviour, readonly (string | undefined)[]])[] = [
    ['refuses in the words it was given', { refuse: 'no way' }, ['no way']],
    ['says it twice', { answer: 'twice' }, ['', '']],
    ['leaves instead of answering', { answer: 'close' }, [undefined]],
    ['is late', { lateMs: 50 }, ['']],
  ]
  test.each(told)('%s', async (_, behaviour, answers) => {
    await using it = await connected(behaviour)
    expect(await it.connection.ask(snapshotSent)).toBe('')
    const said = [await it.connection.ask(del('web'))]
    while (said.length < answers.length) said.push(await it.connection.answer())
    expect(said).toEqual(answers)
  })

  test('says junk instead, or floods', async () => {
    await using it = await connected({ answer: 'junk', fromStart: true })
    await expect(it.connection.ask(snapshotSent)).rejects.toThrow(/the message ends/)
    it.ztunnel.behave({ answer: 'flood', fromStart: true })
    let answers = 0
    for (let said = await it.connection.ask(del('web')); said === '' && answers < 10_000; answers += 1) {
      said = await it.connection.answer()
    }
    expect(answers).toBe(10_000)
  })
})

// internal

/** Something of the pod's own on a port of ztunnel's. */
function startBlocker(): AsyncDisposable {
  const script = "require('node:net').createServer().listen({ host: '::', port: 15006 })"
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  const closed = once(child, 'close')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

function openFile(path: string): { readonly fd: number } & Disposable {
  const fd = openSync(path, 'r')
  return { fd, [Symbol.dispose]: () => closeSync(fd) }
}
