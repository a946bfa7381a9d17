import { isReady, kubectl, onNode, pods, shell, until } from './cluster.ts'

/** Paths of helm and our chart on the cluster's node. `npm run test:cluster` copies both to the node. */
export const [HELM, CHART] = ['/opt/test/helm', '/opt/test/chart']

export const NAMESPACE = 'istio-system'
export const SELECTOR = 'k8s-app=istio-cni-node'

/** Chart values that select the agent's image on the cluster's node. */
export const IMAGE = ['hub=localhost', 'tag=cluster', `variant=${process.env.CNI_IMAGE_VARIANT ?? ''}`]

/** Installs or upgrades our chart with values such as `a.b=c`. Waits until the agent is ready. */
export async function install(...values: readonly string[]): Promise<void> {
  await release(...values)
  await agentReady()
}

/** Installs or upgrades our chart with values such as `a.b=c`, without waiting for the agent. */
export const release = (...values: readonly string[]): Promise<void> => upgrade(CHART, [...IMAGE, ...values])

/** Installs or upgrades a chart of an agent with values such as `a.b=c`, without waiting for the agent. */
export async function upgrade(chart: string, values: readonly string[]): Promise<void> {
  await kubectl(['create', 'namespace', NAMESPACE], { reject: false })
  const settings = values.flatMap((value) => ['--set', value])
  await onNode([HELM, 'upgrade', '--install', 'istio-cni', chart, '--namespace', NAMESPACE, ...settings])
}

/** Waits until the roll-out of the agent's DaemonSet has ended. Returns the agent's pod. */
export function agentReady() {
  return until('the agent is ready', async () => {
    await kubectl(['rollout', 'status', 'daemonset/istio-cni-node', '-n', NAMESPACE, '--timeout=1s'])
    const [one, another] = await pods(NAMESPACE, SELECTOR)
    return one !== undefined && another === undefined && isReady(one) && one
  })
}

export async function uninstall(): Promise<void> {
  await onNode([HELM, 'uninstall', 'istio-cni', '--namespace', NAMESPACE, '--ignore-not-found'])
  await until('the agent is gone', async () => (await pods(NAMESPACE, SELECTOR)).length === 0)
}

export const agentLog = (): Promise<string> =>
  kubectl(['logs', '-n', NAMESPACE, '-l', SELECTOR, '--tail=200'], { reject: false })

/** Returns the name of the agent's pod, or an empty name without a pod. */
export const agentName = async (): Promise<string> => (await pods(NAMESPACE, SELECTOR))[0]?.metadata.name ?? ''

/** Runs `install-cni status` in the agent's pod and returns its output. */
export const status = async (): Promise<string> =>
  kubectl(['exec', '-n', NAMESPACE, await agentName(), '--', 'install-cni', 'status'], { reject: false })

/** Lists the agent's files on the node, without the plugin's log and attachment records. */
export const nodeFiles = async (): Promise<string> =>
  (await networks()) +
  (await shell(
    `cd /; find run/istio-cni ! -type d ! -name istio-cni.log ! -path '*/attachments/*' 2>/dev/null || true`,
  ))

/** Waits until no file `.*.uninstalled` is left. The agent keeps these plugin files while pods need them. */
export async function atRest(look: () => Promise<string>): Promise<string> {
  await until(
    'no plugin is kept for a pod',
    async () => (await shell('find /opt/cni/bin -name ".*.uninstalled"')) === '',
  )
  return look()
}

/** Lists the files that the container runtime uses: plugins and conflists. */
export const networks = (): Promise<string> =>
  shell(`cd /; ls -l --time-style=+ opt/cni/bin | sed 1d; sha256sum opt/cni/bin/*
    for f in etc/cni/net.d/*; do echo "$f"; stat -c %a "$f"; cat "$f"; done`)

/** Lists the types of the plugins in the node's conflist, in the order of the list. */
export async function chain(): Promise<string[]> {
  const list = JSON.parse(await shell('cat /etc/cni/net.d/*.conflist'))
  return list.plugins.map(({ type }: { type: string }) => type)
}

/** Reads the memory of the agent's pod, in megabytes. As in kubelet's figures, `workingSet` includes `usedFiles`. */
export async function memory() {
  const [agent] = await pods(NAMESPACE, SELECTOR)
  const folder = `/sys/fs/cgroup/memory/kubepods/*/pod${agent?.metadata.uid}`
  // Repeats the read, because the kernel updates memory.stat up to two seconds after memory.usage_in_bytes.
  return await until('memory.stat has the memory of memory.usage_in_bytes', async () => {
    const text = await shell(`cat ${folder}/memory.stat; echo usage $(cat ${folder}/memory.usage_in_bytes)`)
    const megabytes = (key: string) => Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(text)?.[1]) / 1e6
    const [anonymous, usedFiles] = [megabytes('total_rss'), megabytes('total_active_file')]
    const workingSet = megabytes('usage') - megabytes('total_inactive_file')
    return workingSet >= anonymous + usedFiles && { anonymous, usedFiles, workingSet, cached: megabytes('total_cache') }
  })
}
