import { readdirSync, readFileSync } from 'node:fs'
import { isRunError, type RunResult, start } from '@cni/host'
import type { Netns } from '@cni/netns'
import { type CalledPod, cniEnv } from '../../stage/cni-call.ts'
import { COMPILED } from '../../stage/executables.ts'
import type { Serving } from './serving-agent.ts'

/** Pod that a test adds. With `agent: 'never'` the plugin does not ask the agent. */
interface AddedPod {
  readonly name: string
  readonly uid: string
  readonly agent?: 'never'
  readonly native?: boolean
}

/** Calls the plugin's ADD for a pod. The agent may be down. */
export function add(at: Serving, target: Netns, pod: AddedPod): Promise<RunResult> {
  return startAdd(at, target, pod).called
}

/** Starts the plugin's ADD for a pod and returns the plugin's process. */
export function startAdd(at: Serving, target: Netns, { name, uid, agent, native }: AddedPod) {
  const conf = { type: 'istio-cni', cni_agent_run_dir: at.node.path('run'), native_nftables: native, agent }
  return startPlugin(conf, { netns: target.path, name, more: [`K8S_POD_UID=${uid}`] })
}

/** Starts the ADD of the compiled plugin for a pod of the Kubernetes namespace `demo`. */
export function startPlugin(conf: object, pod: Pick<CalledPod, 'netns' | 'name' | 'more'>) {
  const env = cniEnv('ADD', { ...pod, container: `container-${pod.name}`, namespace: 'demo' })
  const prevResult = { cniVersion: '1.0.0', interfaces: [], ips: [{ address: '10.1.2.3/24' }] }
  const { kill, done } = start([COMPILED], {
    env: { PATH: '/usr/sbin:/usr/bin', ...env },
    input: JSON.stringify({ ...conf, cniVersion: '1.0.0', name: 'pods', plugin_log_level: 'debug', prevResult }),
  })
  const called = done.catch((error: unknown): RunResult => {
    if (isRunError(error)) return error
    throw error
  })
  return { kill, called }
}

/** True if the agent decided about the pod, according to the plugin's debug log. */
export const isServed = ({ stderr }: RunResult): boolean => !stderr.includes('the node agent does not decide')

/** Reads the attachment records that the plugin has written on the test node, by container. */
export function records(at: Serving): Map<string, Record<string, unknown>> {
  const folder = at.node.path('run/attachments')
  // Skips temporary files, from which the plugin has not made a record yet.
  const files = readdirSync(folder).filter((file) => /^[0-9a-f]{32}\.json$/.test(file))
  const all = files.map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
  return new Map(all.map((record) => [record.containerID, record]))
}
