import { lstatSync, unlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { listenUnix, type UnixConnection } from '@cni/netns/unix'
import { errnoOf, messageOf } from '@cni/types'
import { MAX_MESSAGE } from '../../../zds/wire.ts'
import { throttledLog } from '../../log/throttled-log.ts'
import { problemOf } from './messages.ts'
import type { ZdsOptions, ZdsServer } from './options.ts'
import { Session } from './session.ts'
import { ZdsError } from './zds-error.ts'

/** Maximal number of connections without a hello message. A further connection closes the oldest one. */
const MAX_GREETING = 8
/**
 * Maximal number of ztunnel connections that have sent the hello message. During an upgrade, a node has two ztunnels.
 */
const MAX_SESSIONS = 16

/** Listens for ztunnels on a Unix socket. A ztunnel gets all pods, and later each change. */
export function startZds(options: ZdsOptions): ZdsServer {
  const { path, snapshot, ready, log, observe = () => {}, answerMs = 4000, helloMs = 5000 } = options
  const { allow = ({ uid }) => uid === 0 } = options
  const sessions: Session[] = []
  const running = new Set<Promise<void>>()
  const troubles = throttledLog(log, '')
  let lastId = 0
  let connected = 0
  let newest: Session | undefined

  const inState = (state: Session['state']): Session[] => sessions.filter((each) => each.state === state)
  const review = (): void => {
    const live = inState('live')
    if (live.length !== connected) observe({ type: 'connections', connected: live.length })
    connected = live.length
    if (live.at(-1) === newest) return
    newest = live.at(-1)
    newest?.catchUp()
  }
  const serve = async (session: Session): Promise<void> => {
    const why = await session.run()
    sessions.splice(sessions.indexOf(session), 1)
    review()
    log[why.code === 'CLOSED' ? 'info' : 'warn'](`${session} is disconnected: ${why.message}`)
  }
  const admit = (connection: UnixConnection): void => {
    const greeting = inState('greeting')
    if (inState('snapshot').length + inState('live').length >= MAX_SESSIONS) {
      connection.close()
      troubles.failed(`refused a ztunnel on ${path}: ${MAX_SESSIONS} are already connected`)
      return
    }
    if (greeting.length >= MAX_GREETING) greeting[0]?.close()
    const session = new Session(++lastId, connection, {
      snapshot,
      ready,
      log,
      observe,
      onLive: review,
      answerMs,
      helloMs,
    })
    sessions.push(session)
    const served = serve(session).finally(() => running.delete(served))
    running.add(served)
  }
  const close = async (): Promise<void> => {
    listener.close()
    for (const session of sessions) session.close()
    await Promise.all(running)
  }

  removeStale(path)
  const listener = listenUnix(path, {
    maxBytes: MAX_MESSAGE,
    maxFds: 0,
    allow,
    onConnection: admit,
    onError: (error) => troubles.failed(`ztunnel: ${messageOf(error)}`),
  })
  return {
    async add(pod, { signal } = {}) {
      const problem = problemOf({ type: 'add', uid: pod.uid, workload: pod.workload })
      if (problem !== undefined) throw new ZdsError('INVALID', `cannot send the pod to ztunnel: ${problem}`)
      const session = newest ?? inState('snapshot').at(-1)
      if (session === undefined) throw new ZdsError('NO_ZTUNNEL', 'no ztunnel connected')
      await session.add(pod, { ms: answerMs, signal })
    },
    async remove(uid) {
      // Skips ztunnels that wait for the first snapshot, because the snapshot will lack the pod.
      const removals = Promise.all([...inState('snapshot'), ...inState('live')].map((session) => session.remove(uid)))
      const limit = new AbortController()
      await Promise.race([removals, delay(answerMs, undefined, limit)]).finally(() => limit.abort())
    },
    connections: () =>
      sessions.flatMap(({ id, pid, state }) =>
        state === 'over' ? [] : [{ id, pid, state, newest: id === newest?.id }],
      ),
    close,
    [Symbol.asyncDispose]: close,
  }
}

// internal

/** Removes a leftover file at the path. `listenUnix` itself replaces sockets and refuses folders. */
function removeStale(path: string): void {
  try {
    const there = lstatSync(path)
    if (!there.isSocket() && !there.isDirectory()) unlinkSync(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
