import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredPod } from '@cni/kube/testing'
import { servingAgent } from '../../../packages/istio-redirect/test/serve/serve-agent.ts'
import { cniEnv } from '../../../packages/istio-redirect/test/stage/cni-call.ts'
import { COMPILED } from '../../../packages/istio-redirect/test/stage/executables.ts'
import { stage } from '../../../packages/istio-redirect/test/stage/stage.ts'
import type { PodCase } from '../../../packages/istio-rules/test/random-pod.ts'
import { PATH, peer } from '../peers.ts'
import { outcome, sandbox } from '../sandbox.ts'
import { readState, type State } from '../state.ts'

/** Result of a call of Istio's plugin or of ours. */
export interface Side {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly state: State
}

/** Results of Istio's plugin and of ours for the same pod and node. */
export interface Pair {
  readonly theirs: Side
  readonly ours: Side
}

/** Istio's plugin and ours with one API server, for tests with many pods. */
export interface Plugins extends AsyncDisposable {
  /** Calls Istio's plugin and ours for a pod. The optional pod `theirPod` replaces the pod for Istio's plugin. */
  compare(one: PodCase, theirPod?: StoredPod): Promise<Pair>
  /** Number of our plugin's ADDs that the agent has decided. */
  readonly served: number
}

/** Prepares Istio's plugin and ours. With `alone`, our plugin decides by itself; with `served`, an agent decides. */
export const plugins = (way: 'alone' | 'served', compiled = COMPILED): Promise<Plugins> =>
  stage({ api: {} }, async ({ api, root: folder, stack }) => {
    const side = (name: string, file: string) => {
      const runDir = join(folder, name)
      mkdirSync(runDir)
      chmodSync(runDir, 0o755)
      api.writeKubeconfig(runDir)
      return (one: PodCase, stored: string) => add(one, { file, runDir, stored })
    }
    const theirs = side('theirs', peer('istio-cni').file)
    const ours = side('ours', compiled)
    const agent = way === 'served' ? stack.use(await servingAgent(join(folder, 'ours'), [])) : undefined
    let count = 0
    return {
      async compare(one, theirPod = one.pod) {
        // The test's cases run concurrently, so each case has a pod name of its own.
        count += 1
        const name = `${one.pod.metadata.name}-${count}`
        const renamed = (pod: StoredPod, stored: string) => ({ ...pod, metadata: { ...pod.metadata, name: stored } })
        api.setPod(renamed(theirPod, `${name}-a`))
        api.setPod(renamed(one.pod, `${name}-b`))
        await agent?.setPod(renamed(one.pod, `${name}-b`))
        // Difference B1: Istio's plugin reads owner groups from the environment, ours from the pod.
        const [a, b] = await Promise.all([
          theirs({ ...one, env: { ...one.env, ...podGroups(one) } }, `${name}-a`),
          ours(one, `${name}-b`),
        ])
        for (const stored of [`${name}-a`, `${name}-b`]) api.deletePod(one.pod.metadata.namespace, stored)
        return { theirs: a, ours: b }
      },
      get served() {
        return agent?.answers.filter((answer) => answer !== 'refused').length ?? 0
      },
    }
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

async function add(
  one: PodCase,
  { file, runDir, stored }: { readonly file: string; readonly runDir: string; readonly stored: string },
): Promise<Side> {
  await using target = await sandbox(one)
  const { namespace } = one.pod.metadata
  const call = () =>
    outcome([file], {
      input: JSON.stringify(configuration(one, runDir)),
      env: {
        PATH,
        ...one.env,
        ...cniEnv('ADD', { netns: target.path, container: stored, namespace, name: stored, more: [one.args] }),
      },
      timeout: 60_000,
    })
  let last = await call()
  for (let made = 1; made < one.calls && last.exitCode === 0; made += 1) last = await call()
  const { exitCode, stdout, stderr } = last
  return { exitCode, stdout, stderr, state: await readState(target) }
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
