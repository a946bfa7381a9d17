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

/** Istio's plugin and ours with one API server, for tests with many pods. */
export type Plugins = Awaited<ReturnType<typeof plugins>>

/** Prepares Istio's plugin and ours. With `alone`, our plugin decides by itself; with `served`, an agent decides. */
export const plugins = (way: 'alone' | 'served') =>
  stage({ api: {} }, async ({ api, root: folder, stack }) => {
    const side = (name: string, file: string) => {
      const runDir = join(folder, name)
      mkdirSync(runDir)
      chmodSync(runDir, 0o755)
      api.writeKubeconfig(runDir)
      return (one: PodCase, stored: string) => add(one, { file, runDir, stored })
    }
    const theirs = side('theirs', peer('istio-cni').file)
    const ours = side('ours', COMPILED)
    const agent = way === 'served' ? stack.use(await servingAgent(join(folder, 'ours'), [])) : undefined
    let count = 0
    return {
      /** Calls our plugin for the pod of `one`, and Istio's plugin for the pod of `theirs`. */
      async compare(one: PodCase, { pod: theirPod }: PodCase): Promise<Pair> {
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
      /** Number of our plugin's ADDs that the agent has decided. */
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
    run([file], {
      input: JSON.stringify(configuration(one, runDir)),
      env: {
        PATH,
        ...one.env,
        ...cniEnv('ADD', { netns: target.path, container: stored, namespace, name: stored, more: [one.args] }),
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
