import { setTimeout as sleep } from 'node:timers/promises'
import { type RawZtunnel, rawZtunnel, type Told } from '../zds/raw-ztunnel.ts'

/** A ztunnel stand-in that acknowledges each message and records its pods. */
export type RecordingZtunnel = ReturnType<typeof recordingZtunnel>

/** Starts the stand-in. It connects again after each end of the connection. */
export function recordingZtunnel(path: string) {
  /** The inode of each pod's namespace, by UID. `undefined`: a pod that the agent told it to keep. */
  const pods = new Map<string, bigint | undefined>()
  /** All messages in order: `add web`, `del <uid>`, `snapshotSent`. */
  const told: string[] = []
  let say: (name: string) => string = () => ''
  let ended = false
  let current: RawZtunnel | undefined

  const take = async (ztunnel: RawZtunnel, { request, namespaces }: Told): Promise<void> => {
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
        const ztunnel = rawZtunnel(path)
        current = ztunnel
        await ztunnel.hello()
        pods.clear()
        told.push('connected')
        for (let each = await ztunnel.next(); each !== undefined; each = await ztunnel.next()) await take(ztunnel, each)
      } catch {
        // // the agent is absent or has ended
      }
      current?.[Symbol.dispose]()
      await sleep(10)
    }
  }
  void run()
  return {
    pods,
    told,
    /** Sets the answer to each added pod from now on. `silence` means no answer. */
    answer(next: (name: string) => string) {
      say = next
    },
    /** The latest snapshot: names of pods that were added, UIDs of those to keep. */
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
