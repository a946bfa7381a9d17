import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@cni/host'
import type { StoredPod } from '@cni/kube/testing'
import { servingAgent } from '../../../packages/istio-redirect/test/serve/serve-agent.ts'
import { cniEnv } from '../../../packages/istio-redirect/test/stage/cni-call.ts'
import { COMPILED } from '../../../packages/istio-redirect/test/stage/executables.ts'
import { stage } from '../../../packages/istio-redirect/test/stage/stage.ts'
import type { PodCase } from '../../../packages/istio-rules/test/random-pod.ts'
import type { Pair, Side } from '../differences.ts'
import { PATH, peer } from '../peers.ts'
import { sandbox } from '../sandbox.ts'
import { readState } from '../state.ts'
import { resultsOf } from './results.ts'

/**
 * Prepares Istio's plugin and ours with one API server, for tests with many pods. With `alone`, our plugin decides by
 * itself; with `served`, an agent decides.
 */
export const plugins = (way: 'alone' | 'served') =>
  stage({ api: {} }, async ({ api, root: folder, stack }) => {
    const side = (name: string, file: string) => {
      const runDir = join(folder, name)
      mkdirSync(runDir)
      chmodSync(runDir, 0o755)
      api.writeKubeconfig(runDir)
      return (one: PodCase) => add(one, file, runDir)
    }
    const original = side('theirs', peer('istio-cni').file)
    const own = side('ours', COMPILED)
    const agent = way === 'served' ? stack.use(await servingAgent(join(folder, 'ours'), [])) : undefined
    let count = 0
    return {
      /** Calls our plugin for the pod of `one`, and Istio's plugin for the pod of `theirCase`. */
      async compare(one: PodCase, theirCase: PodCase): Promise<Pair> {
        // The test's cases run concurrently, so each case has a pod name of its own.
        count += 1
        const theirPod = renamed(theirCase.pod, `-${count}-a`)
        const ourPod = renamed(one.pod, `-${count}-b`)
        for (const pod of [theirPod, ourPod]) api.setPod(pod)
        await agent?.setPod(ourPod)
        // Difference B1: Istio's plugin reads owner groups from the environment, ours from the pod.
        const env = { ...one.env, ...podGroups(one) }
        const [theirs, ours] = await Promise.all([
          original({ ...one, pod: theirPod, env }),
          own({ ...one, pod: ourPod }),
        ])
        for (const { metadata } of [theirPod, ourPod]) api.deletePod(metadata.namespace, metadata.name)
        return { theirs, ours }
      },
      /** Number of our plugin's ADDs that the agent has decided. */
      get served() {
        return agent?.answers.filter((answer) => answer !== 'refused').length ?? 0
      },
    }
  })

const renamed = (pod: StoredPod, suffix: string): StoredPod => ({
  ...pod,
  metadata: { ...pod.metadata, name: `${pod.metadata.name}${suffix}` },
})

function podGroups({ pod }: PodCase): Record<string, string> {
  const proxies = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].filter(
    ({ name }) => name === 'istio-proxy',
  )
  const groups = proxies
    .flatMap(({ env = [] }) => env)
    .filter(({ name }) => name.startsWith('ISTIO_OUTBOUND_OWNER_GROUPS'))
  return Object.fromEntries(groups.map(({ name, value = '' }) => [name, value]))
}

async function add(one: PodCase, file: string, runDir: string): Promise<Side> {
  await using target = await sandbox(one)
  const { namespace, name } = one.pod.metadata
  const call = () =>
    run([file], {
      input: JSON.stringify(configuration(one, runDir)),
      env: {
        PATH,
        ...one.env,
        ...cniEnv('ADD', { netns: target.path, container: name, namespace, name, more: [one.args] }),
      },
      timeout: 60_000,
      reject: false,
    })
  let last = await call()
  for (let made = 1; made < one.calls && last.exitCode === 0; made += 1) last = await call()
  return { exitCode: last.exitCode, results: resultsOf(last, await readState(target)), printed: last.stdout }
}

/** Builds the configuration that the plugin reads from stdin. */
export function configuration({ cniVersion, conf, told, previous }: PodCase, runDir: string): object {
  const old = cniVersion.startsWith('0.')
  const ips = told.map((address) => ({
    ...(old && { version: address.includes(':') ? '6' : '4' }),
    interface: 0,
    address,
  }))
  const more = previous === 'result with more' ? { extra: { a: 1 } } : {}
  const prevResult = {
    cniVersion,
    interfaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/var/run/netns/pod', ...more }],
    ips,
    routes: [{ dst: '0.0.0.0/0', gw: '10.1.2.1' }],
    dns: { nameservers: ['10.96.0.10'], search: ['a<b>&c'] },
    ...more,
  }
  return {
    cniVersion,
    name: 'pods',
    type: 'istio-cni',
    cni_agent_run_dir: runDir,
    ...conf,
    ...(previous === 'none' ? {} : { prevResult }),
  }
}
