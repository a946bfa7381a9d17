import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { StoredPod } from '@cni/kube/testing'
import { SERVE_SOCKET } from '../src/serve/socket.ts'
import type { Conduct, ServeJob, ServeNews } from './fixtures/serve-worker.ts'

/** An agent's serving socket, in a thread of its own. */
export interface ServingAgent extends AsyncDisposable {
  /** What was answered so far, in order. */
  readonly answers: readonly string[]
  /** Adds a pod, or changes it. */
  setPod(pod: StoredPod): Promise<void>
}

/** Starts an agent that serves below a run directory, well or badly. */
export async function servingAgent(
  runDir: string,
  pods: readonly StoredPod[],
  conduct: Conduct = 'serves',
): Promise<ServingAgent> {
  const job: ServeJob = { socket: join(runDir, SERVE_SOCKET), conduct, pods }
  const worker = new Worker(new URL('./fixtures/serve-worker.ts', import.meta.url), {
    workerData: job,
    execArgv: ['--conditions=@cni/source'],
  })
  const answers: string[] = []
  const unknown: (() => void)[] = []
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', (news: ServeNews) => {
      if ('listens' in news) resolve()
      else if ('knows' in news) unknown.shift()?.()
      else answers.push(news.answered)
    })
  })
  return {
    answers,
    setPod(pod) {
      worker.postMessage(pod)
      return new Promise((resolve) => unknown.push(resolve))
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}
