import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { StoredPod } from '@cni/kube/testing'
import { NODE_FLAGS } from '../../../../test/node.ts'
import { SERVE_SOCKET } from '../../src/serve/socket.ts'
import type { Conduct, ServeNews, ServeOrder } from './serve-worker.ts'

/** Test agent in another thread. The agent serves the plugin's calls on its own socket. */
export type ServingAgent = Awaited<ReturnType<typeof servingAgent>>

const told = new Map<number, (news: ServeNews) => void>()
let thread: Worker | undefined

/** Starts one thread for all test agents, because loading the agent's sources takes a second. */
function startThread(): Worker {
  const started = new Worker(new URL('./serve-worker.ts', import.meta.url), { execArgv: [...NODE_FLAGS] })
  started.unref()
  return started.on('message', (news: ServeNews) => told.get(news.id)?.(news))
}

/** Starts a test agent that serves below a run directory. `conduct` selects a fault of the agent. */
export async function servingAgent(runDir: string, pods: readonly StoredPod[], conduct: Conduct = 'serves') {
  thread ??= startThread()
  const worker = thread
  const id = told.size
  const answers: string[] = []
  const waiting: (() => void)[] = []
  told.set(id, ({ answered }) => void (answered === undefined ? waiting.shift()?.() : answers.push(answered)))
  const order = (given: ServeOrder) =>
    new Promise<void>((done) => {
      waiting.push(done)
      worker.postMessage(given)
    })
  await order({ id, socket: join(runDir, SERVE_SOCKET), conduct, pods })
  return {
    /** Answers that the test agent has sent to the plugin, in order. */
    answers,
    /** Adds a pod to the test agent, or changes the pod. */
    setPod: (pod: StoredPod) => order({ id, pod }),
    [Symbol.asyncDispose]: () => order({ id }),
  }
}
