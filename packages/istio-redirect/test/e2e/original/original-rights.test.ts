import { readFileSync } from 'node:fs'
import { findExecutable } from '@cni/host'
import { isObject } from '@cni/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kubeClient } from '../../../src/kube/client.ts'
import { isKubeError } from '../../../src/kube/kube-error.ts'
import { serviceAccountAccess } from '../../../src/kube/service-account.ts'
import { meshPod } from '../../../src/testing/pods.ts'
import { HELM, type Manifest, rendered } from '../../chart/manifest.ts'
import { agentNode, eventually } from '../agent-node.ts'
import { type KubeServer, startKubeServer } from './kube-server.ts'
import { peer } from './peers.ts'

const apiserver = peer('kube-apiserver')
const etcd = findExecutable('etcd')
const missing =
  apiserver.missing ??
  (etcd === undefined ? 'needs etcd (etcd-server)' : HELM === undefined ? 'needs helm on the PATH' : undefined)

const NAMESPACE = 'istio-system'
const NODE = 'n1'
const LABEL = { repair: { repairPods: false, labelPods: true } }
const DELETE = { repair: { repairPods: false, deletePods: true } }
const NONE = { repair: { enabled: false } }

describe.runIf(missing === undefined)(
  `the chart's rights at a real API server${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let kube: KubeServer
    beforeAll(async () => {
      kube = await startKubeServer(apiserver.file, etcd ?? '')
      for (const name of [NAMESPACE, 'demo']) {
        await create(kube, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
      }
    })
    afterAll(() => kube?.[Symbol.asyncDispose]())

    test.for<[string, object]>([
      ['label', LABEL],
      ['delete', DELETE],
      ['no repair', NONE],
    ])(
      '%s: all works with them, the token on the node reads pods only, and an update leaves all',
      async ([, values]) => {
        await using on = await agentOn(kube, values)
        await eventually(on.agent.ready, () => on.agent.log(), 20_000)
        const tokenFile = on.node.path('run/istio-cni-token')
        expect(on.node.read('run/istio-cni-kubeconfig')).toContain(readFileSync(tokenFile, 'utf8'))
        const plugin = kubeClient(serviceAccountAccess({ server: kube.url, caFile: kube.caFile, tokenFile }))
        const signal = AbortSignal.timeout(20_000)
        const name = `web-${Math.random().toString(36).slice(2, 8)}`
        await createBroken(kube, name)
        if (values !== DELETE)
          expect(await plugin.get(`/api/v1/namespaces/demo/pods/${name}`, { signal })).toBeDefined()
        await expect(plugin.get('/api/v1/pods', { signal })).rejects.toThrow(
          'istio-cni-plugin" cannot list resource "pods"',
        )
        await expect(plugin.get('/api/v1/namespaces/demo', { signal })).rejects.toThrow(
          'cannot get resource "namespaces"',
        )
        if (values !== NONE)
          await eventually(
            () => acted(kube, name, values),
            () => on.agent.log(),
            20_000,
          )
        on.agent.kill('SIGTERM')
        expect(await on.agent.exit).toEqual({ code: 0, signal: null })
        expect(on.agent.log()).toContain('the plugin stays on this node')
        expect(on.agent.log()).not.toContain('forbidden')
      },
    )

    test.for<[right: string, values: object, kind: string, words: string]>([
      ['list pods', NONE, 'ClusterRole', 'cannot list resource "pods" in API group ""'],
      ['watch pods', NONE, 'ClusterRole', 'cannot watch resource "pods" in API group ""'],
      ['delete pods', DELETE, 'ClusterRole', 'cannot delete resource "pods" in API group ""'],
      ['patch pods/status', LABEL, 'ClusterRole', 'cannot patch resource "pods/status" in API group ""'],
      [
        'create events',
        LABEL,
        'ClusterRole',
        'cannot create resource "events" in API group "" in the namespace "demo"',
      ],
      ['create serviceaccounts/token', NONE, 'Role', 'cannot create resource "serviceaccounts/token" in API group ""'],
      ['get daemonsets', NONE, 'Role', 'cannot get resource "daemonsets" in API group "apps"'],
    ])('without "%s" the log names it', async ([right, values, kind, words]) => {
      await using on = await agentOn(kube, values, { kind, right })
      await createBroken(kube, `broken-${Math.random().toString(36).slice(2, 8)}`)
      if (right === 'get daemonsets') {
        await eventually(on.agent.ready, () => on.agent.log(), 20_000)
        on.agent.kill('SIGTERM')
        await on.agent.exit
      }
      await eventually(
        () => on.agent.log().replaceAll('\\"', '"').includes(words),
        () => on.agent.log(),
        20_000,
      )
    })
  },
)

/** An agent with the account and the rights of the chart, less one right. */
async function agentOn(kube: KubeServer, values: object, without?: { readonly kind: string; readonly right: string }) {
  const objects = rendered({ image: 'h/install-cni:1', ...values })
  for (const object of objects) {
    await create(kube, without?.kind === object.kind ? less(object, without.right) : object)
  }
  const node = agentNode()
  const data = objects.find(({ kind }) => kind === 'ConfigMap')?.data
  Object.assign(node.env, isObject(data) ? data : {}, {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(kube.port),
    NODE_NAME: NODE,
    REPAIR_NODE_NAME: NODE,
    POD_NAMESPACE: NAMESPACE,
    POD_NAME: 'istio-cni-node-x7x7x',
    PLUGIN_SERVICE_ACCOUNT: 'istio-cni-plugin',
  })
  node.write('sa/token', await tokenOf(kube, 'istio-cni'))
  node.write('sa/ca.crt', readFileSync(kube.caFile, 'utf8'))
  const agent = await node.start()
  const dispose = async () => {
    await node[Symbol.asyncDispose]()
    for (const object of objects) await remove(kube, object)
  }
  return { node, agent, [Symbol.asyncDispose]: dispose }
}

/** The object without this verb on this resource. */
function less(object: Manifest, right: string): Manifest {
  const [verb, resource] = right.split(' ')
  const rules = Array.isArray(object.rules) ? object.rules : []
  return {
    ...object,
    rules: rules
      .map((rule) =>
        rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((one: string) => one !== verb) } : rule,
      )
      .filter(({ verbs }) => verbs.length > 0),
  }
}

async function tokenOf(kube: KubeServer, account: string): Promise<string> {
  const answer = await kube.admin.send(
    {
      method: 'POST',
      path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`,
      body: { type: 'application/json', document: { spec: { expirationSeconds: 3600 } } },
    },
    { signal: AbortSignal.timeout(5000) },
  )
  return isObject(answer) && isObject(answer.status) ? String(answer.status.token) : ''
}

function pathOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return `${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`
}

const create = (kube: KubeServer, document: Manifest): Promise<unknown> =>
  kube.admin.send(
    { method: 'POST', path: pathOf(document), body: { type: 'application/json', document } },
    { signal: AbortSignal.timeout(10_000) },
  )

async function remove(kube: KubeServer, object: Manifest): Promise<void> {
  const path = `${pathOf(object)}/${object.metadata.name}`
  // without garbage collector nobody would end a deletion in the foreground
  const document = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }
  await kube.admin
    .send(
      { method: 'DELETE', path, body: { type: 'application/json', document } },
      { signal: AbortSignal.timeout(10_000) },
    )
    .catch((error: unknown) => {
      if (!isKubeError(error) || error.status !== 404) throw error
    })
}

/** A pod whose validation found no rules. */
async function createBroken(kube: KubeServer, name: string): Promise<void> {
  const pod = meshPod({ name, namespace: 'demo' })
  await create(kube, {
    ...pod,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'demo', annotations: { 'sidecar.istio.io/status': '{}' } },
    spec: {
      nodeName: NODE,
      initContainers: [{ name: 'istio-validation', image: 'x' }],
      containers: [{ name: 'app', image: 'x' }],
    },
  })
  const terminated = { exitCode: 126, reason: 'Error' }
  const waiting = { reason: 'CrashLoopBackOff' }
  const status = {
    initContainerStatuses: [
      {
        name: 'istio-validation',
        image: 'x',
        imageID: '',
        ready: false,
        restartCount: 1,
        state: { waiting },
        lastState: { terminated },
      },
    ],
  }
  await kube.admin.send(
    {
      method: 'PATCH',
      path: `/api/v1/namespaces/demo/pods/${name}/status`,
      body: { type: 'application/merge-patch+json', document: { status } },
    },
    { signal: AbortSignal.timeout(10_000) },
  )
}

/** Whether repair did what it is for. */
async function acted(kube: KubeServer, name: string, values: object): Promise<boolean> {
  const signal = AbortSignal.timeout(5000)
  try {
    const pod = await kube.admin.get(`/api/v1/namespaces/demo/pods/${name}`, { signal })
    const metadata = isObject(pod) && isObject(pod.metadata) ? pod.metadata : {}
    if (values === DELETE) return metadata.deletionTimestamp !== undefined
    return isObject(metadata.labels) && metadata.labels['cni.istio.io/uninitialized'] === 'true'
  } catch (error) {
    return values === DELETE && isKubeError(error) && error.status === 404
  }
}
