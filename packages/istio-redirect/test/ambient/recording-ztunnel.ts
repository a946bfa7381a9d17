import { setTimeout as sleep } from 'node:timers/promises'
import { type RawZtunnel, type ReceivedMessage, rawZtunnel } from '../zds/raw-ztunnel.ts'

/** Stand-in for ztunnel that acknowledges each message of the agent and records the pods. */
export type RecordingZtunnel = ReturnType<typeof recordingZtunnel>

/** Starts the ztunnel stand-in. The stand-in reconnects when the connection to the agent ends. */
export function recordingZtunnel({ path }: { readonly path: string }) {
  /** Inodes of the pods' network namespaces, by UID. `undefined` for a pod that ztunnel was told to keep. */
  const pods = new Map<string, bigint | undefined>()
  /** Messages of the agent in order, such as `add web`, `del <uid>` and `snapshotSent`. */
  const told: string[] = []
  let say: (name: string) => string = () => ''
  let ended = false
  let current: RawZtunnel | undefined

  const take = async (ztunnel: RawZtunnel, { request, namespaces }: ReceivedMessage): Promise<void> => {
    if (request === undefined) return
    let answer = ''
    if (request.type === 'add') {
      told.push(`add ${request.workload?.name}`)
      answer = say(request.workload?.name ?? '')
      if (answer === '') pods.set(request.uid, namespaces[0])
    } else if (request.type === 'keep') {
      told.push(`keep ${request.uid}`)
      pods.set(request.uid, undefined)
    } else if (request.type === 'del') {
      told.push(`del ${request.uid}`)
      pods.delete(request.uid)
    } else {
      told.push('snapshotSent')
    }
    if (answer !== 'silence') await ztunnel.ack(answer)
  }
  const run = async (): Promise<void> => {
    while (!ended) {
      try {
        using ztunnel = rawZtunnel(path)
        current = ztunnel
        await ztunnel.hello()
        pods.clear()
        told.push('connected')
        for (let each = await ztunnel.next(); each !== undefined; each = await ztunnel.next()) await take(ztunnel, each)
      } catch {
        // Ignores a lost connection, because the loop connects to the agent again.
      }
      await sleep(10)
    }
  }
  void run()
  return {
    pods,
    told,
    /** Sets the answers to later `add` messages by pod name. `silence` means no answer. */
    answer(next: (name: string) => string) {
      say = next
    },
    /** Returns the agent's latest snapshot: names of added pods, and UIDs of pods to keep. */
    snapshot() {
      const begin = told.lastIndexOf('connected')
      return told.slice(begin + 1, told.indexOf('snapshotSent', begin))
    },
    [Symbol.dispose]() {
      ended = true
      current?.[Symbol.dispose]()
    },
  }
}
