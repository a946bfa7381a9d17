import { closeSync, openSync } from 'node:fs'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { encodeRequest } from '../../src/zds/wire.ts'
import { all, listeners, startBlocker } from './pod-listeners.ts'
import { type RawAgent, type RawAgentConnection, rawAgent } from './raw-agent.ts'

/** ztunnel under test, with which an agent can exchange messages: a real ztunnel or the stand-in. */
export interface TalkingZtunnel extends AsyncDisposable {
  /** True if ztunnel answers `/healthz/ready` with 200. */
  ready(): Promise<boolean>
  /** Lists the UIDs of the pods in which ztunnel listens, sorted. */
  pods(): Promise<string[]>
  /** Ends ztunnel as SIGTERM does. Resolves with its exit code. */
  stop(): Promise<number>
  /** Ends ztunnel as SIGKILL does. */
  kill(): Promise<number>
  /** Resolves with ztunnel's exit code. */
  readonly ended: Promise<number>
}

const pollOptions = { timeout: 20_000 }
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const workload = { name: 'p1', namespace: 'amb', serviceAccount: 'sa1' }

export const add = (uid: string): Uint8Array => encodeRequest({ type: 'add', uid, workload })
export const del = (uid: string): Uint8Array => encodeRequest({ type: 'del', uid })
const keep = (uid: string): Uint8Array => encodeRequest({ type: 'keep', uid })
export const snapshotSent = encodeRequest({ type: 'snapshotSent' })

/**
 * Waits until exactly the expected sockets listen in the pod. ztunnel closes removed sockets a moment after its answer.
 */
const listens = (pod: Netns, what: readonly string[]) => expect.poll(() => listeners(pod), pollOptions).toEqual(what)

/** Tests ztunnel's reactions to the agent's messages. Both a real ztunnel and the stand-in have to pass. */
export function ztunnelMessages(of: string, start: (path: string) => Promise<TalkingZtunnel>, missing?: string): void {
  /** Starts a ztunnel that is connected to an agent stand-in and has no pods. */
  const connected = async () => {
    await using starting = new AsyncDisposableStack()
    const agent: RawAgent = starting.use(rawAgent())
    const ztunnel = starting.use(await start(agent.path))
    const connection: RawAgentConnection = await agent.accepted()
    const stack = starting.move()
    return {
      agent,
      ztunnel,
      connection,
      pod: async (): Promise<Netns> => stack.use(await tempNetns()),
      isReady: (ready = true) => expect.poll(() => ztunnel.ready(), pollOptions).toBe(ready),
      start: async () => stack.use(await start(agent.path)),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  }

  describe.runIf(missing === undefined)(`${of}${missing ? ` (skipped: ${missing})` : ''}`, () => {
    test('sends its hello and its acknowledgement in these bytes', async () => {
      await using it = await connected()
      expect(it.connection.hello.toString('hex')).toBe('0801')
      await it.connection.say(snapshotSent)
      expect((await it.connection.hear())?.toString('hex')).toBe('0a00')
    })

    test('is ready after the end of the snapshot, and not ready without an agent', async () => {
      await using it = await connected()
      expect(await it.ztunnel.ready()).toBe(false)
      expect(await it.connection.ask(snapshotSent)).toBe('')
      await it.isReady()
      it.connection.close()
      await it.isReady(false)
      const again = await it.agent.accepted()
      expect(await again.ask(snapshotSent)).toBe('')
      await it.isReady()
    })

    test('connects again after the agent’s socket was missing', async () => {
      await using it = await connected()
      await it.connection.ask(snapshotSent)
      it.agent.leave()
      await it.isReady(false)
      it.agent.listen()
      expect(await (await it.agent.accepted()).ask(snapshotSent)).toBe('')
      await it.isReady()
    })

    test('listens in a pod of the snapshot before the snapshot ends, and in a later pod', async () => {
      await using it = await connected()
      const [first, later] = [await it.pod(), await it.pod()]
      expect(await it.connection.ask(add('first'), [first.fd])).toBe('')
      expect(await listeners(first)).toEqual(all)
      expect(await it.ztunnel.ready()).toBe(false)
      expect(await it.connection.ask(snapshotSent)).toBe('')
      expect(await it.connection.ask(add('later'), [later.fd])).toBe('')
      expect(await listeners(later)).toEqual(all)
      expect(await it.ztunnel.pods()).toEqual(['first', 'later'])
    })

    test('accepts a pod that it already has, and moves with it to another namespace', async () => {
      await using it = await connected()
      const [before, after] = [await it.pod(), await it.pod()]
      for (const namespace of [before, before, after]) {
        expect(await it.connection.ask(add('web'), [namespace.fd])).toBe('')
      }
      expect(await listeners(after)).toEqual(all)
      await listens(before, [])
      expect(await it.ztunnel.pods()).toEqual(['web'])
    })

    test('refuses a pod whose port is in use, stays connected, and accepts the pod on the next add', async () => {
      await using it = await connected()
      await it.connection.ask(snapshotSent)
      const pod = await it.pod()
      await using spoiler = await startBlocker(pod)
      expect(await it.connection.ask(add('web'), [pod.fd])).toMatch(
        /^failure to start proxy : Bind\(\[::\]:15006, Os \{ code: 98, kind: AddrInUse, /,
      )
      await listens(pod, ['tcp *:15006'])
      expect([await it.ztunnel.ready(), await it.ztunnel.pods()]).toEqual([true, []])
      spoiler.close()
      expect(await it.connection.ask(add('web'), [pod.fd])).toBe('')
      expect(await listeners(pod)).toEqual(all)
    })

    test('is not ready while it refuses a pod of the snapshot, and retries by itself', async () => {
      await using it = await connected()
      const pod = await it.pod()
      await using spoiler = await startBlocker(pod)
      expect(await it.connection.ask(add('web'), [pod.fd])).not.toBe('')
      expect(await it.connection.ask(snapshotSent)).toBe('')
      expect(await it.ztunnel.ready()).toBe(false)
      spoiler.close()
      await it.isReady()
      expect(await listeners(pod)).toEqual(all)
    })

    test('forgets a refused pod with its removal or with a new snapshot', async () => {
      await using it = await connected()
      await it.connection.ask(snapshotSent)
      using file = openFile('/dev/null')
      const refused = /^failure to start proxy : Bind\(127\.0\.0\.1:15053, Os \{ code: 22, /
      expect(await it.connection.ask(add('file'), [file.fd])).toMatch(refused)
      expect(await it.ztunnel.ready()).toBe(true)
      // A refused pod makes ztunnel unready only at the next message that ztunnel answers without an error.
      expect(await it.connection.ask(del('other'))).toBe('')
      await it.isReady(false)
      expect(await it.connection.ask(del('file'))).toBe('')
      await it.isReady()
      expect(await it.connection.ask(add('file'), [file.fd])).toMatch(refused)
      it.connection.close()
      const again = await it.agent.accepted()
      expect(await again.ask(snapshotSent)).toBe('')
      await it.isReady()
    })

    test('leaves a deleted pod, and acknowledges the deletion of an unknown pod', async () => {
      await using it = await connected()
      const pod = await it.pod()
      await it.connection.ask(snapshotSent)
      await it.connection.ask(add('web'), [pod.fd])
      expect(await it.connection.ask(del('web'))).toBe('')
      await listens(pod, [])
      expect(await it.connection.ask(del('web'))).toBe('')
    })

    test('leaves a pod that is deleted during the snapshot at the end of the snapshot', async () => {
      await using it = await connected()
      const pod = await it.pod()
      await it.connection.ask(add('web'), [pod.fd])
      expect(await it.connection.ask(del('web'))).toBe('')
      expect(await listeners(pod)).toEqual(all)
      expect(await it.connection.ask(snapshotSent)).toBe('')
      await listens(pod, [])
    })

    test('keeps the pods that a snapshot keeps, known or not, and leaves all others', async () => {
      await using it = await connected()
      const [kept, left] = [await it.pod(), await it.pod()]
      await it.connection.ask(add('kept'), [kept.fd])
      await it.connection.ask(add('left'), [left.fd])
      await it.connection.ask(snapshotSent)
      it.connection.close()
      const again = await it.agent.accepted()
      // ztunnel still listens in its pods while no agent is connected.
      expect(await listeners(left)).toEqual(all)
      expect(await again.ask(keep('kept'))).toBe('')
      expect(await again.ask(keep('nobody'))).toBe('')
      expect(await listeners(left)).toEqual(all)
      expect(await again.ask(snapshotSent)).toBe('')
      await listens(left, [])
      expect(await listeners(kept)).toEqual(all)
      expect(await it.ztunnel.pods()).toEqual(['kept'])
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
      await listens(pod, [])
    })

    test.each([
      ['a pod without a namespace', add('web'), 0, 'No control message'],
      ['a pod with two namespaces', add('web'), 2, 'Expected 1 FD, got 2'],
      ['a pod with three namespaces', add('web'), 3, 'ENOBUFS: No buffer space available'],
      ['a namespace with a pod that is gone', del('web'), 1, 'Unexpected control message'],
      ['a namespace with a pod to keep', keep('web'), 1, 'Unexpected control message'],
      ['a namespace with the end of the snapshot', snapshotSent, 1, 'Unexpected control message'],
      ['what it cannot read', hex('ff'), 0, 'failed to decode Protobuf message: invalid varint'],
      ['what it does not know', hex('4200'), 0, 'no payload'],
      ['more than it reads', encodeRequest({ type: 'del', uid: 'x'.repeat(1100) }), 0, 'received truncated message'],
    ])('refuses %s, closes the connection, and connects again', async (_, message, count, what) => {
      await using it = await connected()
      const pod = await it.pod()
      const fds = Array.from({ length: count }, () => pod.fd)
      expect(await it.connection.ask(message, fds)).toBe(`failure to read message : ${what}`)
      expect(await it.connection.answer()).toBeUndefined()
      const again = await it.agent.accepted()
      expect(await again.ask(snapshotSent)).toBe('')
      await it.isReady()
    })

    test('closes the connection and exits with 0 on SIGTERM, and with 137 on SIGKILL', async () => {
      await using it = await connected()
      const pod = await it.pod()
      await it.connection.ask(add('web'), [pod.fd])
      expect(await it.ztunnel.stop()).toBe(0)
      expect(await it.connection.answer()).toBeUndefined()
      expect(await listeners(pod)).toEqual([])
      const killed = await it.start()
      const connection = await it.agent.accepted()
      expect(await killed.kill()).toBe(137)
      expect(await connection.answer()).toBeUndefined()
    })
  })
}

// internal

function openFile(path: string): { readonly fd: number } & Disposable {
  const fd = openSync(path, 'r')
  return { fd, [Symbol.dispose]: () => closeSync(fd) }
}
