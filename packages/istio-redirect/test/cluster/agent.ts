import { isReady, kubectl, onNode, pods, shell, until } from './cluster.ts'

/** Where `npm run test:cluster` has put them on the node. */
const [HELM, CHART] = ['/opt/test/helm', '/opt/test/chart']

export const NAMESPACE = 'istio-system'
export const SELECTOR = 'k8s-app=istio-cni-node'

/** The images that the node has, and their tag. */
export const IMAGE = { hub: 'localhost', tag: 'cluster' }

/** The chart, installed or upgraded with these values, `a.b=c`; its agent is ready. */
export async function install(...values: readonly string[]): Promise<void> {
  await kubectl(['create', 'namespace', NAMESPACE], { reject: false })
  const settings = [`hub=${IMAGE.hub}`, `tag=${IMAGE.tag}`, ...values].flatMap((value) => ['--set', value])
  await onNode([HELM, 'upgrade', '--install', 'istio-cni', CHART, '--namespace', NAMESPACE, ...settings])
  await agentReady()
}

/** The one pod of the agent, once the DaemonSet's roll-out has ended. */
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

/** What an agent leaves on the node: binaries, lists, and its folder without the plugin's log and records of pods. */
export const nodeFiles = (): Promise<string> =>
  shell(`cd /; ls -l --time-style=+ opt/cni/bin | sed 1d; sha256sum opt/cni/bin/*
    for f in etc/cni/net.d/*; do echo "$f"; stat -c %a "$f"; cat "$f"; done; find run/istio-cni ! -type d ! -name istio-cni.log ! -path '*/attachments/*' 2>/dev/null || true`)

/** The network's list as a runtime reads it. */
export async function chain(): Promise<string[]> {
  const list = JSON.parse(await shell('cat /etc/cni/net.d/*.conflist'))
  return list.plugins.map(({ type }: { type: string }) => type)
}
