import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiServer } from '@cni/kube/testing'
import { ask } from '../../../packages/istio-redirect/test/stage/agent-node.ts'
import { type Agent, NODE } from './measured-agents.ts'
import { conflist, rootFolder } from './root-folder.ts'

/** Time limit for the start of a measured agent, in milliseconds. */
const START_MS = 20_000

/** A root folder for one measured agent, with functions to reset the node's files and to start the agent. */
export type AgentInstance = ReturnType<typeof agentInstance>

/** Creates an agent's root folder. Its disposal ends the agent. */
export function agentInstance(agent: Agent, api?: ApiServer) {
  const root = rootFolder(agent, api)
  const { list, binary, kubeconfig, token } = root.files
  let tokens = 0
  /** Damages the network list, as another program that writes its own version. */
  const damageList = () => writeFileSync(list, conflist)
  return {
    ...root,
    damageList,
    /** Restores the node's files and adds `crowd` configuration files of other programs. */
    reset(crowd = 0): void {
      root.reset()
      for (let index = 0; index < crowd; index += 1) writeFileSync(...other(root.path('host/etc/cni/net.d'), index))
    },
    /**
     * Starts the agent. Returns the milliseconds until the agent is ready, or `undefined` if the agent was not ready
     * within the time limit.
     */
    async start(): Promise<number | undefined> {
      const began = performance.now()
      const child = root.start({ REPAIR_NODE_NAME: 'node', ...(api && { NODE_NAME: NODE }) })
      while (!(await isReady())) {
        if (child.exitCode !== null) throw new Error(`the agent ended with ${child.exitCode}`)
        if (performance.now() - began > START_MS) return undefined
        await sleep(1)
      }
      return performance.now() - began
    },
    /** Files that the agent repairs, each with a function that damages the file. */
    artefacts: (): [name: string, path: string, damage: () => void][] => [
      ['conflist rewritten', list, damageList],
      [
        'conflist rewritten while the binary is copied',
        list,
        () => {
          appendFileSync(binary, 'x')
          damageList()
        },
      ],
      ['binary removed', binary, () => rmSync(binary)],
      ['kubeconfig removed', kubeconfig, () => rmSync(kubeconfig)],
      [
        'token changed',
        kubeconfig,
        () => {
          tokens += 1
          writeFileSync(token, `token${tokens}`)
        },
      ],
    ],
  }
}

/** Path and content of a file that fills the network folder. */
function other(folder: string, index: number): [path: string, text: string] {
  const number = String(index).padStart(6, '0')
  return index % 2 === 0
    ? [join(folder, `00-${number}.conflist`), conflist.slice(0, -9)]
    : [join(folder, `50-${number}.conflist`), conflist]
}

const isReady = (): Promise<boolean> =>
  ask({ port: 8000, path: '/readyz' }).then(
    ({ status }) => status === 200,
    () => false,
  )
